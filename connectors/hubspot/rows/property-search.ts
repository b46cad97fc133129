/**
 * Finds the property that causes a rejection without a named property. donor-sync sends parts of the changes to find
 * it.
 */
import {
  afterRefused,
  afterTaken,
  type CulpritSearch,
  isOver as isFound,
  learnFrom,
  type RefusedBy,
} from '../../writing/culprit-search.ts';
import type { HubspotFault } from '../errors.ts';
import type { Lessons } from './lessons.ts';
import { only, type Row, withProblems } from './row.ts';
import { blamedIn, send, type Writer } from './send.ts';

/** Returns a row with the properties that the search sends next. */
export function toProbe(whole: Row, state: CulpritSearch, fault: HubspotFault): Row {
  return { ...only(whole, state.probe), search: { state, whole, fault } };
}

/** Returns the part of a row that has not been sent yet. */
export function afterProbe(
  { suspicions }: Lessons,
  { state: before, whole, fault }: NonNullable<Row['search']>,
  isTaken: boolean,
): Row {
  const state = isTaken ? afterTaken(before) : afterRefused(before);
  if (!isFound(state)) return toProbe(whole, state, fault);
  learnFrom(suspicions, toRule(fault), state);
  const isBegun = state.written.length > 0 || whole.isBegun === true;
  return {
    ...only(whole, []),
    left: [...whole.left, withProblems(fault, state.culprits)],
    isBegun,
  };
}

/**
 * The search for the property has ended without a result, so the row contains all properties that have not been
 * written.
 */
export function withoutSearch(row: Row): Row {
  const { search } = row;
  if (search === undefined) return row;
  const { written } = search.state;
  const { whole } = search;
  const rest = Object.keys(whole.properties).filter((name) => !written.includes(name));
  return { ...only(whole, rest), isBegun: whole.isBegun === true || written.length > 0 };
}

export function toRule({ code, words }: HubspotFault): RefusedBy {
  return { code, message: words?.reveal() ?? '' };
}

/** Writes parts of all rows. The function ends when it has found the property, or when HubSpot names a property. */
export async function findProperty(
  writer: Writer,
  rows: readonly Row[],
  search: CulpritSearch,
): Promise<{ state: CulpritSearch; left: Row[] }> {
  let state = search;
  let left = [...rows];
  while (!isFound(state)) {
    writer.lessons.suspicions.extra += 1;
    const { probe } = state;
    const parts = left
      .map((row) => only(row, probe))
      .filter(({ properties }) => Object.keys(properties).length > 0);
    const answer = await send(writer, parts);
    if (answer.refusedFor !== null) {
      if (blamedIn(answer.refusedFor, parts).length > 0) break;
      state = afterRefused(state);
      continue;
    }
    const written = new Set(answer.reply.results.map(({ id }) => id));
    left = left.map((row) => {
      if (!written.has(row.id)) return row;
      const rest = Object.keys(row.properties).filter((name) => !probe.includes(name));
      return { ...only(row, rest), isBegun: true };
    });
    state = afterTaken(state);
  }
  return { state, left };
}
