/** The four ways to query connections (service document, sections 1, 4.1 and 4.2). */

import { z } from '@hono/zod-openapi';
import type { ConnectionEngine } from '../connections/engine.ts';
import type { World } from '../donor.ts';
import { atOnce, createSlices, inSlices } from '../slices.ts';
import {
  type Connection,
  connectionSchema,
  type DonorLabel,
  describeConnection,
  donorLabelSchema,
  lookupConnectionSchema,
  toDonorLabel,
} from './connection.ts';
import type { CoveredMember, CoverFilter, Members } from './members.ts';
import { type NetworkLabel, networkLabelSchema } from './networks.ts';
import type { StoredConnection, StoredConnections } from './stored-connections.ts';

/**
 * The schema of a donor with the connections to a team's members, which the endpoints "discover" and "compare" return.
 */
export const prospectSchema = z
  .object({
    donor: donorLabelSchema,
    max_strength: z.number().min(0).max(1),
    total_connections: z.number().int(),
    connections: z.array(connectionSchema).openapi({ description: 'Strongest first' }),
  })
  .openapi('Prospect');

/** The schema of all connections between one donor and a team's networks. */
export const donorConnectionsSchema = z
  .object({
    donor_id: z.string(),
    in_network: z
      .boolean()
      .openapi({ description: 'Whether the donor is in any network of the team' }),
    networks: z
      .array(networkLabelSchema)
      .openapi({ description: 'The networks that the donor is in' }),
    connections: z.array(connectionSchema).openapi({ description: 'Strongest first' }),
  })
  .openapi('DonorConnections');

export const lookupSchema = z
  .object({
    donor_id: z.string(),
    connections: z.array(lookupConnectionSchema).openapi({ description: 'Strongest first' }),
  })
  .openapi('Lookup');

/** A prospect in the form in which the response contains it. */
export type Prospect = z.infer<typeof prospectSchema>;

/** A search that includes only the members that match a filter. The value of `minStrength` is a number from 0 to 1. */
export interface Search extends CoverFilter {
  team: string;
  minStrength: number;
}

export interface SearchOptions {
  world: World;
  engine: ConnectionEngine;
  members: Members;
  stored: StoredConnections;
}

/** The four kinds of searches, which refer to donors by number. */
export interface Searches {
  /**
   * Returns at most `limit` donors who are connected to the included members. The donors with the strongest connections
   * come first. Members of the searched networks are not in the result.
   */
  discover(search: Search, limit: number): Promise<Prospect[]>;
  /**
   * Returns each of the given donors once, sorted by the strength of the connection. Donors without a connection come
   * last and have the strength 0.
   */
  compare(search: Search, donors: readonly number[]): Promise<Prospect[]>;
  /**
   * Returns all networks of one donor, and each connection between the donor and the included members. The filter does
   * not affect which networks are returned.
   */
  ofDonor(search: Search, donor: number): Promise<z.infer<typeof donorConnectionsSchema>>;
  /** Computes all connections of any donor, including weak connections. */
  lookUp(donor: number, limit: number): Promise<z.infer<typeof lookupSchema>>;
}

/**
 * The maximum number of attempts with pauses. If members are removed again and again, the next attempt runs without
 * pauses.
 */
const MOST_ROUNDS = 3;

export function createSearches({ world, engine, members, stored }: SearchOptions): Searches {
  function coverOf(search: Search): Cover {
    return toCover(members.covered(search.team, search));
  }

  /**
   * Runs a search that pauses to let other requests run. If a member was removed during a pause, the search starts
   * again, because a different member may have the removed member's number.
   */
  async function steadily<T>(work: () => Generator<void, T>): Promise<T> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const drops = stored.drops();
      const result = await inSlices(work(), createSlices());
      if (stored.drops() === drops) return result;
    }
    return atOnce(work());
  }

  /**
   * Returns a function that names donors in one response. The function caches the names, because a response can name
   * one donor many times.
   */
  function createNaming(): NameDonor {
    const known = new Map<number, DonorLabel>();
    return (donor) => {
      const label = known.get(donor) ?? toDonorLabel(world.donor(donor));
      known.set(donor, label);
      return label;
    };
  }

  function* findProspects(
    donors: readonly number[],
    cover: Cover,
    minStrength: number,
  ): Generator<void, Prospect[]> {
    const nameOf = createNaming();
    const found = yield* stored.between(cover.keys(), donors, minStrength);
    const prospects: Prospect[] = [];
    for (const [donor, kept] of found) {
      const connections: Connection[] = [];
      for (const connection of kept) {
        connections.push(toConnection(connection, cover, nameOf));
        yield;
      }
      prospects.push({
        donor: nameOf(donor),
        max_strength: kept[0]?.strength ?? 0,
        total_connections: kept.length,
        connections,
      });
    }
    return prospects;
  }

  function* discover(search: Search, limit: number): Generator<void, Prospect[]> {
    const cover = coverOf(search);
    yield;
    const inside = members.covered(search.team, { ...search, donors: null });
    const found = yield* stored.rank(cover.keys(), {
      minStrength: search.minStrength,
      limit,
      excluded: new Set(inside.map(({ donor }) => donor)),
    });
    return yield* findProspects(found, cover, search.minStrength);
  }

  return {
    discover: (search, limit) => steadily(() => discover(search, limit)),
    async compare(search, donors) {
      const work = () => findProspects(donors, coverOf(search), search.minStrength);
      const prospects = await steadily(work);
      return prospects.sort((a, b) => b.max_strength - a.max_strength);
    },
    async ofDonor(search, donor) {
      const networks = members.networksOf(search.team, donor);
      const work = () => findProspects([donor], coverOf(search), search.minStrength);
      const [prospect] = await steadily(work);
      return {
        donor_id: world.donor(donor).id,
        in_network: networks.length > 0,
        networks,
        connections: prospect?.connections ?? [],
      };
    },
    async lookUp(donor, limit) {
      const nameOf = createNaming();
      const source = nameOf(donor);
      const slices = createSlices();
      const wanted = { minStrength: 0, limit };
      const found =
        (await engine.findInSlices?.(donor, wanted, slices)) ?? engine.find(donor, wanted);
      const connections: z.infer<typeof lookupSchema>['connections'] = [];
      for (const connection of found) {
        if (slices.isOver()) await slices.next();
        const other = nameOf(connection.donor);
        connections.push({ ...describeConnection(connection, source), donor: other });
      }
      return { donor_id: source.id, connections };
    },
  };
}

type NameDonor = (donor: number) => DonorLabel;

/** The members that a search includes. The map's key is the member's number in the store. */
type Cover = ReadonlyMap<number, { donor: number; networks: NetworkLabel[] }>;

function toCover(covered: readonly CoveredMember[]): Cover {
  const cover = new Map<number, { donor: number; networks: NetworkLabel[] }>();
  for (const { member, donor, network_id, name } of covered) {
    const present = cover.get(member);
    if (present === undefined) {
      cover.set(member, { donor, networks: [{ network_id, name }] });
    } else {
      present.networks.push({ network_id, name });
    }
  }
  return cover;
}

function toConnection(
  { member, ...found }: StoredConnection,
  cover: Cover,
  nameOf: NameDonor,
): Connection {
  const source = cover.get(member);
  if (source === undefined) {
    throw new Error(`The member ${member} was not searched.`);
  }
  return { ...describeConnection(found, nameOf(source.donor)), networks: source.networks };
}
