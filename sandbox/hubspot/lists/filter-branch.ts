/** The conditions of a list, which form a tree, and which refer to properties and other lists. */

import { z } from 'zod';

const filterSchema = z.discriminatedUnion('filterType', [
  z.object({
    filterType: z.literal('PROPERTY'),
    property: z.string(),
    operation: z.discriminatedUnion('operationType', [
      operation('ALL_PROPERTY', ['IS_KNOWN', 'IS_UNKNOWN'], {}),
      operation('STRING', textOperators(), { value: z.string() }),
      operation('MULTISTRING', textOperators(), { values: z.array(z.string()) }),
      operation(
        'NUMBER',
        [
          'IS_EQUAL_TO',
          'IS_NOT_EQUAL_TO',
          'IS_GREATER_THAN',
          'IS_GREATER_THAN_OR_EQUAL_TO',
          'IS_LESS_THAN',
          'IS_LESS_THAN_OR_EQUAL_TO',
        ],
        { value: z.number() },
      ),
      operation('BOOL', ['IS_EQUAL_TO', 'IS_NOT_EQUAL_TO'], { value: z.boolean() }),
      operation(
        'ENUMERATION',
        [
          'IS_ANY_OF',
          'IS_NONE_OF',
          'IS_EXACTLY',
          'IS_NOT_EXACTLY',
          'CONTAINS_ALL',
          'DOES_NOT_CONTAIN_ALL',
        ],
        { values: z.array(z.string()) },
      ),
    ]),
  }),
  z.object({
    filterType: z.literal('IN_LIST'),
    listId: z.string(),
    operator: z.enum(['IN_LIST', 'NOT_IN_LIST']),
  }),
]);

const branchSchema = z.object({
  filterBranchType: z.enum(['OR', 'AND', 'NOT_ALL', 'NOT_ANY']),
  filterBranchOperator: z.string(),
  get filterBranches(): z.ZodArray<typeof branchSchema> {
    return z.array(branchSchema);
  },
  filters: z.array(filterSchema),
});

/**
 * The complete tree of conditions. HubSpot requires an OR at the root of the tree. The stand-in supports only the
 * filters that are defined above.
 */
export const filterBranchSchema = branchSchema.extend({ filterBranchType: z.literal('OR') });

export type FilterBranch = z.output<typeof filterBranchSchema>;

type Branch = z.output<typeof branchSchema>;
type Filter = z.output<typeof filterSchema>;
type Operation = Extract<Filter, { filterType: 'PROPERTY' }>['operation'];

/** A record that is compared with the conditions. */
export interface Candidate {
  /** Returns the value of a property, or null if the property has no value. */
  read(property: string): string | null;
  isInList(listId: string): boolean;
}

/** Returns true if a record meets the conditions. A branch without conditions matches no record. */
export function meets(candidate: Candidate, branch: Branch): boolean {
  const answers = [
    ...branch.filters.map((filter) => meetsFilter(candidate, filter)),
    ...branch.filterBranches.map((inner) => meets(candidate, inner)),
  ];
  if (answers.length === 0) return false;
  switch (branch.filterBranchType) {
    case 'OR':
      return answers.includes(true);
    case 'AND':
      return !answers.includes(false);
    case 'NOT_ALL':
      return answers.includes(false);
    case 'NOT_ANY':
      return !answers.includes(true);
  }
}

/** Returns the IDs of the lists that the conditions refer to. */
export function listsNamedIn(branch: Branch): string[] {
  const own = branch.filters.flatMap((filter) =>
    filter.filterType === 'IN_LIST' ? [filter.listId] : [],
  );
  return [...own, ...branch.filterBranches.flatMap(listsNamedIn)];
}

/** Returns the properties to which the conditions of a list refer. */
export function propertiesNamedIn(branch: Branch): string[] {
  const own = branch.filters.flatMap((filter) =>
    filter.filterType === 'PROPERTY' ? [filter.property] : [],
  );
  return [...own, ...branch.filterBranches.flatMap(propertiesNamedIn)];
}

function meetsFilter(candidate: Candidate, filter: Filter): boolean {
  if (filter.filterType === 'IN_LIST') {
    return candidate.isInList(filter.listId) === (filter.operator === 'IN_LIST');
  }
  const value = candidate.read(filter.property);
  if (filter.operation.operationType === 'ALL_PROPERTY') {
    return (value !== null && value !== '') === (filter.operation.operator === 'IS_KNOWN');
  }
  if (value === null || value === '') return filter.operation.includeObjectsWithNoValueSet;
  return meetsOperation(value, filter.operation);
}

function meetsOperation(
  value: string,
  operation: Exclude<Operation, { operationType: 'ALL_PROPERTY' }>,
): boolean {
  switch (operation.operationType) {
    case 'STRING':
      return meetsText(value, operation.operator, [operation.value]);
    case 'MULTISTRING':
      return meetsText(value, operation.operator, operation.values);
    case 'NUMBER':
      return meetsNumber(Number(value), operation.operator, operation.value);
    case 'BOOL':
      return (value === String(operation.value)) === (operation.operator === 'IS_EQUAL_TO');
    case 'ENUMERATION':
      return meetsChoice(value.split(';'), operation.operator, operation.values);
  }
}

/** Compares texts without regard to letter case. With a negative operator, none of the values may match. */
function meetsText(value: string, operator: TextOperator, wanted: readonly string[]): boolean {
  const text = value.toLowerCase();
  const others = wanted.map((one) => one.toLowerCase());
  switch (operator) {
    case 'IS_EQUAL_TO':
      return others.includes(text);
    case 'IS_NOT_EQUAL_TO':
      return !others.includes(text);
    case 'CONTAINS':
      return others.some((other) => text.includes(other));
    case 'DOES_NOT_CONTAIN':
      return !others.some((other) => text.includes(other));
    case 'STARTS_WITH':
      return others.some((other) => text.startsWith(other));
    case 'ENDS_WITH':
      return others.some((other) => text.endsWith(other));
  }
}

function meetsNumber(
  value: number,
  operator: Extract<Operation, { operationType: 'NUMBER' }>['operator'],
  wanted: number,
): boolean {
  switch (operator) {
    case 'IS_EQUAL_TO':
      return value === wanted;
    case 'IS_NOT_EQUAL_TO':
      return value !== wanted;
    case 'IS_GREATER_THAN':
      return value > wanted;
    case 'IS_GREATER_THAN_OR_EQUAL_TO':
      return value >= wanted;
    case 'IS_LESS_THAN':
      return value < wanted;
    case 'IS_LESS_THAN_OR_EQUAL_TO':
      return value <= wanted;
  }
}

function meetsChoice(
  chosen: readonly string[],
  operator: Extract<Operation, { operationType: 'ENUMERATION' }>['operator'],
  wanted: readonly string[],
): boolean {
  const hasAll = wanted.every((one) => chosen.includes(one));
  const hasAny = wanted.some((one) => chosen.includes(one));
  const isExact = hasAll && chosen.every((one) => wanted.includes(one));
  switch (operator) {
    case 'IS_ANY_OF':
      return hasAny;
    case 'IS_NONE_OF':
      return !hasAny;
    case 'IS_EXACTLY':
      return isExact;
    case 'IS_NOT_EXACTLY':
      return !isExact;
    case 'CONTAINS_ALL':
      return hasAll;
    case 'DOES_NOT_CONTAIN_ALL':
      return !hasAll;
  }
}

type TextOperator = ReturnType<typeof textOperators>[number];

function textOperators() {
  return [
    'IS_EQUAL_TO',
    'IS_NOT_EQUAL_TO',
    'CONTAINS',
    'DOES_NOT_CONTAIN',
    'STARTS_WITH',
    'ENDS_WITH',
  ] as const;
}

function operation<
  Type extends string,
  const Operators extends readonly [string, ...string[]],
  Rest extends z.ZodRawShape,
>(type: Type, operators: Operators, rest: Rest) {
  return z.object({
    operationType: z.literal(type),
    operator: z.enum(operators),
    includeObjectsWithNoValueSet: z.boolean().default(false),
    ...rest,
  });
}
