import { describe, expect, it } from 'vitest';
import { worstOf } from '../../../src/cli/action/integrations.ts';

describe('worstOf', () => {
  it('promises that nothing was changed only where nothing else was done', () => {
    expect(worstOf([2, 2])).toBe(2);
    expect(worstOf([2, 0])).toBe(1);
    expect(worstOf([3, 2])).toBe(1);
  });

  it('prefers an error to a stop, and a stop to success', () => {
    expect(worstOf([])).toBe(0);
    expect(worstOf([0, 0])).toBe(0);
    expect(worstOf([0, 3])).toBe(3);
    expect(worstOf([3, 1, 0])).toBe(1);
  });
});
