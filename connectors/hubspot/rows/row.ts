/** A contact in a batch, with the values that must still be sent and the errors about the sent values. */
import type { ContactChange, RefusedWrite, WriteResult } from '../../contract.ts';
import type { CulpritSearch } from '../../writing/culprit-search.ts';
import type { Properties } from '../describe.ts';
import {
  BREAKS_RULE,
  getCause,
  getErrorSort,
  type HubspotFault,
  isLock,
  listBlamedFields,
  sentenceFor,
} from '../errors.ts';
import { wireValue } from '../values.ts';

/** A contact that is being written, with its values in HubSpot's form. */
export interface Row {
  id: string;
  properties: Readonly<Record<string, string>>;
  /** The properties that were left out, with the errors that caused the omission. */
  left: readonly HubspotFault[];
  /** True if HubSpot must receive all properties of the row in one request. */
  isWhole: boolean;
  /** True if some properties of the row have been written. */
  isBegun?: boolean;
  /**
   * The state of the search, if HubSpot rejected this row without naming a property. The search finds the property that
   * causes HubSpot's rejection.
   */
  search?: { state: CulpritSearch; whole: Row; fault: HubspotFault };
}

export function toRow(
  properties: Properties,
  { id, values, together = false }: ContactChange,
): Row {
  const wire = Object.entries(values).map(([name, value]) => [
    name,
    wireValue(value, properties.get(name)),
  ]);
  return { id, properties: Object.fromEntries(wire), left: [], isWhole: together };
}

export function only(row: Row, names: readonly string[]): Row {
  const { search: _, ...rest } = row;
  const properties = Object.entries(row.properties).filter(([name]) => names.includes(name));
  return { ...rest, properties: Object.fromEntries(properties) };
}

/** Returns HubSpot's error, limited to these properties. */
export function withProblems(fault: HubspotFault, names: readonly string[]): HubspotFault {
  const { code } = fault;
  return { ...fault, problems: names.map((property) => ({ property, code, says: null })) };
}

/** The HTTP status "Multi-Status". HubSpot has written some records of the request and rejected others. */
export const BATCH_STATUS = 207;

/**
 * Returns the row without these properties. If the values of the row belong together, returns the row without any
 * properties.
 */
export function without(row: Row, names: readonly string[], fault: HubspotFault): Row {
  return withoutEach(row, new Map(names.map((name) => [name, aboutOne(fault, name)])));
}

/** Returns the row without the properties that have a reason for a rejection. */
export function withoutEach(row: Row, reasons: ReadonlyMap<string, HubspotFault>): Row {
  const { properties, left, isWhole } = row;
  const faults = [...reasons].flatMap(([name, fault]) => (name in properties ? fault : []));
  if (faults.length === 0) return row;
  const rest = Object.entries(properties).filter(([name]) => !isWhole && !reasons.has(name));
  return { ...row, properties: Object.fromEntries(rest), left: [...left, ...faults] };
}

export function aboutOne(fault: HubspotFault, property: string): HubspotFault {
  const own = fault.problems.find((problem) => problem.property === property);
  const code = own?.code ?? fault.code;
  return { ...fault, code, problems: [{ property, code, says: null }], words: null };
}

export function parted(rows: readonly Row[], test: (row: Row) => boolean): [Row[], Row[]] {
  return [rows.filter(test), rows.filter((row) => !test(row))];
}

/** Returns true if no property is left that HubSpot might accept. */
export function isEmptied({ properties, left, isBegun = false }: Row): boolean {
  return (left.length > 0 || isBegun) && Object.keys(properties).length === 0;
}

export function refusedRow(row: Row, fault: HubspotFault): WriteResult {
  if (row.isBegun !== true && row.left.length === 0) return refusal(row.id, fault);
  const names = Object.keys(row.properties);
  return toResult({ ...only(row, []), left: [...row.left, withProblems(fault, names)] });
}

/** Returns the result. donor-sync has written all values except the values that it left out. */
export function toResult(row: Row): WriteResult {
  const { id, left } = row;
  const byCode = Map.groupBy(left, ({ code }) => code);
  const refusals = [...byCode.values()].flatMap((faults) => {
    const [first] = faults;
    if (first === undefined) return [];
    const {
      id: _,
      status: __,
      ...about
    } = refusal(id, {
      ...first,
      problems: faults.flatMap(({ problems }) => problems),
    });
    return [about];
  });
  const [first] = refusals;
  if (first === undefined) return { status: 'written', id };
  if (row.isBegun === true || !isEmptied(row)) {
    return { status: 'written_in_part', id, refusals };
  }
  return {
    status: 'refused',
    id,
    ...first,
    message: refusals.map(({ message }) => message).join(' '),
    fields: refusals.flatMap(({ fields }) => fields),
  };
}

export function ownFault(code: string): HubspotFault {
  return { status: BATCH_STATUS, code, words: null, problems: [], scopes: [] };
}

/** Returns the result for a rejected contact. */
function refusal(id: string, fault: HubspotFault): RefusedWrite {
  const { words } = fault;
  const cause = getCause(fault);
  return {
    status: 'refused',
    id,
    retriable: getErrorSort(fault.code) === 'passing',
    ...(isLock(fault.code) ? { isLock: true } : {}),
    code: fault.code,
    message: sentenceFor(fault),
    fields: listBlamedFields(fault),
    ...(cause === null ? {} : { cause }),
    ...(fault.code === BREAKS_RULE ? { unsent: true } : {}),
    ...(words === null ? {} : { words }),
  };
}

/** Returns the result for a text that is not a contact's ID. */
export function noContactId(id: string): WriteResult {
  return refusal(id, ownFault('OBJECT_NOT_FOUND'));
}
