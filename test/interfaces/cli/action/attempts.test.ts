import { describe, expect, it } from 'vitest';
import { getWorstCode } from '../../../../src/interfaces/cli/action/integrations.ts';

describe('worstOf', () => {
  it('promises that nothing was changed only where nothing else was done', () => {
    expect(getWorstCode([2, 2])).toBe(2);
    expect(getWorstCode([2, 0])).toBe(1);
    expect(getWorstCode([3, 2])).toBe(1);
  });

  it('prefers an error to a stop, and a stop to success', () => {
    expect(getWorstCode([])).toBe(0);
    expect(getWorstCode([0, 0])).toBe(0);
    expect(getWorstCode([0, 3])).toBe(3);
    expect(getWorstCode([3, 1, 0])).toBe(1);
  });
});
