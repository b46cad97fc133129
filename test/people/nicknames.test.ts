import { describe, expect, it } from 'vitest';
import { areSameFirstName, formalNamesOf, nicknamesOf } from '../../people/nicknames.ts';

describe('nicknames', () => {
  it('lead from the long form to the short ones and back, whatever the capitals', () => {
    expect(nicknamesOf('ROBERT')).toContain('Bob');
    expect(formalNamesOf('bob')).toEqual(['Robert']);
    expect(formalNamesOf('Ted')).toEqual(['Edward', 'Theodore']);
    expect(nicknamesOf('Quentin')).toEqual([]);
    expect(formalNamesOf('Quentin')).toEqual([]);
  });

  it('join two first names that one person may use', () => {
    expect(areSameFirstName('Bob', 'Robert')).toBe(true);
    expect(areSameFirstName('Peggy', 'Maggie')).toBe(true);
    expect(areSameFirstName('QUENTIN', 'Quentin')).toBe(true);
    expect(areSameFirstName('Bob', 'William')).toBe(false);
    expect(areSameFirstName('Edward', 'Theodore')).toBe(false);
  });
});
