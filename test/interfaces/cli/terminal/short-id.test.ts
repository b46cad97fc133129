import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/core/new-id.ts';
import { findId, shortId } from '../../../../src/interfaces/cli/terminal/words.ts';

describe('findId', () => {
  it('takes back what lists show, for ids of the same moment too', () => {
    const ids = Array.from({ length: 50 }, () => newId(1_795_000_000_000));
    for (const id of ids) expect(findId(shortId(id), ids)).toBe(id);
  });

  it('guesses nothing', () => {
    const ids = ['aaaa-111111', 'bbbb-111111', 'cccc-222222'];
    expect(() => findId('111111', ids)).toThrow('aaaa-111111, bbbb-111111');
    expect(findId('22222', ids)).toBeNull();
    expect(findId('222222', ids)).toBe('cccc-222222');
    expect(findId('333333', ids)).toBeNull();
    expect(findId('BBBB-111111', ids)).toBe('bbbb-111111');
  });
});
