import { describe, expect, it } from 'vitest';
import {
  type FilterBranch,
  filterBranchSchema,
  listsNamedIn,
  meets,
} from '../../../../sandbox/hubspot/lists/filter-branch.ts';

const BRANCH = { filterBranchOperator: '', filterBranches: [], filters: [] };

/** A person in lists 3 and 4. */
const PERSON: Record<string, string> = {
  city: 'Lisbon',
  gifts: '12',
  volunteer: 'true',
  interests: 'arts;schools',
  phone: '',
};

const candidate = {
  read: (property: string) => PERSON[property] ?? null,
  isInList: (listId: string) => ['3', '4'].includes(listId),
};

function tree(filter: object): FilterBranch {
  return filterBranchSchema.parse({ ...BRANCH, filterBranchType: 'OR', filters: [filter] });
}

function property(name: string, operation: object): FilterBranch {
  return tree({ filterType: 'PROPERTY', property: name, operation });
}

function inList(listId: string, operator = 'IN_LIST') {
  return { filterType: 'IN_LIST', listId, operator };
}

describe('filters', () => {
  it.each([
    ['city', 'STRING', 'IS_EQUAL_TO', { value: 'lisbon' }, { value: 'Porto' }],
    ['city', 'STRING', 'IS_NOT_EQUAL_TO', { value: 'Porto' }, { value: 'LISBON' }],
    ['city', 'STRING', 'CONTAINS', { value: 'sbo' }, { value: 'bos' }],
    ['city', 'STRING', 'DOES_NOT_CONTAIN', { value: 'bos' }, { value: 'sbo' }],
    ['city', 'STRING', 'STARTS_WITH', { value: 'lis' }, { value: 'bon' }],
    ['city', 'STRING', 'ENDS_WITH', { value: 'bon' }, { value: 'lis' }],
    ['city', 'MULTISTRING', 'IS_EQUAL_TO', { values: ['Porto', 'Lisbon'] }, { values: ['Porto'] }],
    ['city', 'MULTISTRING', 'IS_NOT_EQUAL_TO', { values: ['Porto'] }, { values: ['a', 'Lisbon'] }],
    ['gifts', 'NUMBER', 'IS_EQUAL_TO', { value: 12 }, { value: 2 }],
    ['gifts', 'NUMBER', 'IS_NOT_EQUAL_TO', { value: 2 }, { value: 12 }],
    ['gifts', 'NUMBER', 'IS_GREATER_THAN', { value: 2 }, { value: 12 }],
    ['gifts', 'NUMBER', 'IS_GREATER_THAN_OR_EQUAL_TO', { value: 12 }, { value: 13 }],
    ['gifts', 'NUMBER', 'IS_LESS_THAN', { value: 100 }, { value: 12 }],
    ['gifts', 'NUMBER', 'IS_LESS_THAN_OR_EQUAL_TO', { value: 12 }, { value: 11 }],
    ['volunteer', 'BOOL', 'IS_EQUAL_TO', { value: true }, { value: false }],
    ['volunteer', 'BOOL', 'IS_NOT_EQUAL_TO', { value: false }, { value: true }],
    ['interests', 'ENUMERATION', 'IS_ANY_OF', { values: ['arts', 'sea'] }, { values: ['sea'] }],
    ['interests', 'ENUMERATION', 'IS_NONE_OF', { values: ['sea'] }, { values: ['arts', 'sea'] }],
    [
      'interests',
      'ENUMERATION',
      'IS_EXACTLY',
      { values: ['schools', 'arts'] },
      { values: ['arts'] },
    ],
    [
      'interests',
      'ENUMERATION',
      'IS_NOT_EXACTLY',
      { values: ['arts'] },
      { values: ['arts', 'schools'] },
    ],
    ['interests', 'ENUMERATION', 'CONTAINS_ALL', { values: ['arts'] }, { values: ['arts', 'sea'] }],
    [
      'interests',
      'ENUMERATION',
      'DOES_NOT_CONTAIN_ALL',
      { values: ['arts', 'sea'] },
      { values: ['arts'] },
    ],
  ])('compare %s by %s %s', (name, operationType, operator, met, missed) => {
    expect(meets(candidate, property(name, { operationType, operator, ...met }))).toBe(true);
    expect(meets(candidate, property(name, { operationType, operator, ...missed }))).toBe(false);
  });

  it('know whether there is a value', () => {
    const known = { operationType: 'ALL_PROPERTY', operator: 'IS_KNOWN' };
    const unknown = { operationType: 'ALL_PROPERTY', operator: 'IS_UNKNOWN' };
    for (const [name, isKnown] of [
      ['city', true],
      ['phone', false],
      ['zip', false],
    ] as const) {
      expect(meets(candidate, property(name, known))).toBe(isKnown);
      expect(meets(candidate, property(name, unknown))).toBe(!isKnown);
    }
  });

  it('leave out records without a value unless these are to be included', () => {
    const operation = { operationType: 'STRING', operator: 'IS_NOT_EQUAL_TO', value: 'x' };
    expect(meets(candidate, property('zip', operation))).toBe(false);
    const including = { ...operation, includeObjectsWithNoValueSet: true };
    expect(meets(candidate, property('zip', including))).toBe(true);
  });

  it('ask for other lists, and name them', () => {
    expect(meets(candidate, tree(inList('3')))).toBe(true);
    expect(meets(candidate, tree(inList('5')))).toBe(false);
    expect(meets(candidate, tree(inList('5', 'NOT_IN_LIST')))).toBe(true);
    expect(listsNamedIn(tree(inList('5', 'NOT_IN_LIST')))).toEqual(['5']);
  });
});

describe('branches', () => {
  it.each([
    ['OR', true, true, false],
    ['AND', true, false, false],
    ['NOT_ALL', false, true, true],
    ['NOT_ANY', false, false, true],
  ])('join their filters by %s', (filterBranchType, both, one, none) => {
    const joined = (...listIds: string[]) => {
      const inner = { ...BRANCH, filterBranchType, filters: listIds.map((id) => inList(id)) };
      return filterBranchSchema.parse({
        ...BRANCH,
        filterBranchType: 'OR',
        filterBranches: [inner],
      });
    };
    expect(meets(candidate, joined('3', '4'))).toBe(both);
    expect(meets(candidate, joined('3', '5'))).toBe(one);
    expect(meets(candidate, joined('5', '6'))).toBe(none);
  });

  it('without filters are met by no record', () => {
    const empty = filterBranchSchema.parse({ ...BRANCH, filterBranchType: 'OR' });
    expect(meets(candidate, empty)).toBe(false);
  });

  it('begin with an OR', () => {
    expect(filterBranchSchema.safeParse({ ...BRANCH, filterBranchType: 'AND' }).success).toBe(
      false,
    );
  });
});
