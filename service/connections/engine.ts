/**
 * Computes which donors are connected and how strong the connections are. The computation uses the roles and gifts of
 * all donors.
 */

import type { Database } from '../database.ts';
import type { World } from '../donor.ts';
import { type Piece, piece } from '../pieces.ts';
import { readSettledDay, settlePeople } from '../settled-people.ts';
import { atOnce, createTurns, inSlices, type Slices } from '../slices.ts';
import { dayOf } from './calendar.ts';
import type { EntityType } from './entity-type.ts';
import { strengthOf, TIE_KINDS, type TieKind, tieKindAt } from './formula.ts';
import { createSearch } from './search.ts';
import { type OwnTie, type SharedTime, sharedTimes } from './shared-time.ts';
import { relationshipOf, snippetOf } from './snippet.ts';
import { type NameOfCircle, openCircleNames, openTies } from './tie-store.ts';
import { at, type TieTable } from './tie-table.ts';

/** A connection between two donors. Each pair of donors has at most one connection. */
export interface FoundConnection {
  donor: number;
  /**
   * A number greater than 0 and at most 1, based on everything that the two donors share (docs/connection-strength.md).
   */
  strength: number;
  /**
   * The organisation that contributes most to the connection. The type, the relationships and the snippet describe the
   * connection through this organisation.
   */
  entityName: string;
  entityType: EntityType;
  sourceRelationship: string;
  /** The other donor's relationship with the organisation. */
  targetRelationship: string;
  /** A sentence about the connection that is correct for both donors. */
  snippet: string;
}

export interface ConnectionEngine {
  /**
   * Returns connections in descending order of strength. Connections of equal strength are in order of donor number.
   * Contains every connection of at least `minStrength`, up to `limit`.
   */
  find(donor: number, options: { minStrength: number; limit?: number }): FoundConnection[];
  /** Returns the connections that `find` returns, but pauses to let other work run. */
  findInSlices?(
    donor: number,
    options: { minStrength: number; limit?: number },
    slices: Slices,
  ): Promise<FoundConnection[]>;
  /** Returns the connection between two donors, or null. */
  between(donor: number, other: number): FoundConnection | null;
  /** The data that the engine needs, which can be read in advance. Absent if the engine needs no data. */
  pieces?: readonly Piece[];
}

/** The minimum strength of a second organisation that a sentence mentions. */
const LEAST_MENTIONED_STRENGTH = 0.01;

/** The number of concurrent searches. Each search needs memory. */
const MOST_AT_ONCE = 4;

/** Opens the engine. If the database is new, builds the table of ties first. */
export function openConnectionEngine(db: Database, world: World): ConnectionEngine {
  settlePeople(db, world);
  const today = dayOf(readSettledDay(db));
  const { table: tableOf, pieces } = openTies(db);
  const nameOf = openCircleNames(db);
  const turns = createTurns(MOST_AT_ONCE);
  const searchOf = piece(() => createSearch(tableOf()));

  function between(donor: number, other: number): FoundConnection | null {
    if (donor === other) return null;
    // The donor with the lower number comes first, so the description is equal for both donors.
    const [low, high] = donor < other ? [donor, other] : [other, donor];
    const table = tableOf();
    const description = describeConnection({ table, nameOf, today }, sharedTimes(table, low, high));
    if (description === null) return null;
    const { lowRelationship, highRelationship, ...rest } = description;
    const [sourceRelationship, targetRelationship] =
      donor === low ? [lowRelationship, highRelationship] : [highRelationship, lowRelationship];
    return { donor: other, ...rest, sourceRelationship, targetRelationship };
  }

  return {
    find(donor, { minStrength, limit = Number.POSITIVE_INFINITY }) {
      return atOnce(searchOf()(donor, minStrength, limit))
        .map((found) => between(donor, found.donor))
        .filter((connection) => connection !== null);
    },
    findInSlices: (donor, { minStrength, limit = Number.POSITIVE_INFINITY }, slices) =>
      turns(async () => {
        const ranked = await inSlices(searchOf()(donor, minStrength, limit), slices);
        const connections: FoundConnection[] = [];
        for (const found of ranked) {
          if (slices.isOver()) await slices.next();
          const connection = between(donor, found.donor);
          if (connection !== null) connections.push(connection);
        }
        return connections;
      }),
    between,
    pieces: [...pieces, searchOf],
  };
}

interface Describing {
  table: TieTable;
  nameOf: NameOfCircle;
  /** The last day that the data about people describes. */
  today: number;
}

/**
 * Combines all ties that two donors share into one connection. Returns null if the shared periods are not enough for a
 * connection.
 */
function describeConnection({ table, nameOf, today }: Describing, shared: readonly SharedTime[]) {
  const strength = strengthOf(sumOf(shared));
  const [strongest, ...further] = byOrganisation(shared);
  const most = strongest?.toSorted(byExposure)[0];
  if (most === undefined || strength === 0) return null;
  const kinds = [kindOf(table, most.source), kindOf(table, most.target)] as const;
  // The first of the two kinds belongs to the source of the connection.
  const isSourceFirst = TIE_KINDS.indexOf(kinds[0]) <= TIE_KINDS.indexOf(kinds[1]);
  const first = isSourceFirst ? most.source : most.target;
  const { organisationName, entityType } = nameOf(first.circle);
  const others = further
    .filter((times) => strengthOf(sumOf(times)) >= LEAST_MENTIONED_STRENGTH)
    .flatMap((times) => times.slice(0, 1))
    .map(({ source }) => nameOf(source.circle).organisationName);
  return {
    strength,
    entityName: organisationName,
    entityType,
    lowRelationship: relationshipOf(kinds[0], most.source.to === today),
    highRelationship: relationshipOf(kinds[1], most.target.to === today),
    snippet: snippetOf(
      { organisationName, kinds, from: most.from, to: most.to, isPresent: most.to === today },
      others,
    ),
  };
}

/** Returns the shared periods by organisation, starting with the organisation with the most shared exposure. */
function byOrganisation(shared: readonly SharedTime[]): SharedTime[][] {
  return [...Map.groupBy(shared, ({ organisation }) => organisation)]
    .sort(([a, one], [b, other]) => sumOf(other) - sumOf(one) || a - b)
    .map(([, times]) => times);
}

function sumOf(shared: readonly SharedTime[]): number {
  return shared.reduce((sum, { exposure }) => sum + exposure, 0);
}

function byExposure(a: SharedTime, b: SharedTime): number {
  return b.exposure - a.exposure || a.from - b.from;
}

function kindOf(table: TieTable, tie: OwnTie): TieKind {
  return tieKindAt(at(table.circleKinds, tie.circle));
}
