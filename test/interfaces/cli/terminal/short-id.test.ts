import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/core/new-id.ts';
import { findId, shortId } from '../../../../src/interfaces/cli/terminal/words.ts';

describe('findId', () => {
  it('takes back what lists show, for ids of the same moment too', () => {
    const ids = Array.from({ length: 50 }, () => newId(1_795_000_000_000));
    for (const id of ids) expect(findId(shortId(id), ids)).toBe(id);
  });

  it('guesses nothing', () => {
    const ids = ['aaaa-1111', 'bbbb-1111', 'cccc-2222'];
    expect(() => findId('1111', ids)).toThrow('aaaa-1111, bbbb-1111');
    expect(findId('222', ids)).toBeNull();
    expect(findId('3333', ids)).toBeNull();
    expect(findId('BBBB-1111', ids)).toBe('bbbb-1111');
  });
});
