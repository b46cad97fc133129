/**
 * Stores the connections of each team's members once for each team and member. A stored connection has a strength of at
 * least 0.45 (service document, section 1).
 */

import type { ConnectionEngine, FoundConnection } from '../connections/engine.ts';
import type { Database } from '../database.ts';
import { type OtherEnds, packOtherEnds, rankOf } from './other-ends.ts';
import { type Ranked, rankStrongest, type Wanted } from './ranking.ts';

/** The minimum strength of a stored connection. */
export const STORED_STRENGTH_FLOOR = 0.45;

/**
 * The number of members whose connections the cache keeps in packed form, with some kilobytes for each member. The
 * service clears the cache when it is full.
 */
const MAX_REMEMBERED_MEMBERS = 20_000;

/** A stored connection. The field `donor` is the donor to whom the member is connected. */
export interface StoredConnection extends FoundConnection {
  /** The number of the member in the store, which differs from the donor's number. */
  member: number;
}

/** Stores connections. Members are identified by their numbers in the store. */
export interface StoredConnections {
  /** Computes and stores a donor's connections, unless they are already stored for the team. */
  keep(team: string, donor: number): void;
  /** Deletes a member's connections. */
  drop(team: string, donor: number): void;
  /** Computes all stored connections again, because people have been added or changed. */
  renew(): void;
  /**
   * Returns how many members' connections have been deleted since the start. A new member may get the number of a
   * deleted member.
   */
  drops(): number;
  /**
   * Returns the donors with the strongest connections to the members. Donors with equal strength are sorted by number.
   */
  rank(members: Iterable<number>, wanted: Wanted): Generator<void, number[]>;
  /**
   * Returns all connections between the members and the donors, strongest first. The generator yields after each
   * member.
   */
  between(
    members: Iterable<number>,
    donors: readonly number[],
    minStrength: number,
  ): Generator<void, Map<number, StoredConnection[]>>;
}

/** Opens the store. The engine computes new connections. */
export function createStoredConnections(db: Database, engine: ConnectionEngine): StoredConnections {
  const sql = prepareStatements(db);
  const remembered = new Map<number, OtherEnds>();
  let drops = 0;

  /**
   * Returns the donors to whom a member is connected. Only reads fill the cache, so a transaction that is rolled back
   * leaves no wrong data in the cache.
   */
  function otherEndsOf(member: number): OtherEnds {
    const known = remembered.get(member);
    if (known !== undefined) {
      return known;
    }
    if (remembered.size >= MAX_REMEMBERED_MEMBERS) {
      remembered.clear();
    }
    const packed = sql.otherEnds.get(member)?.packed;
    const ends =
      packed === undefined ? packOtherEnds([]) : new Int32Array(new Uint8Array(packed).buffer);
    remembered.set(member, ends);
    return ends;
  }

  function keep(team: string, donor: number): void {
    if (sql.member.get(team, donor) !== undefined) {
      return;
    }
    const found = engine.find(donor, { minStrength: STORED_STRENGTH_FLOOR });
    const packed = packOtherEnds(found.map((connection) => connection.donor));
    const member = sql.insertMember.run(team, donor, Buffer.from(packed.buffer)).lastInsertRowid;
    for (const [rank, connection] of found.entries()) {
      sql.insert.run({ ...connection, member, rank });
    }
  }

  function drop(team: string, donor: number): void {
    const member = sql.member.get(team, donor)?.number;
    if (member !== undefined) {
      sql.deleteConnections.run(member);
      sql.deleteMember.run(member);
      drops += 1;
      remembered.delete(member);
    }
  }

  return {
    drops: () => drops,
    keep: db.transaction(keep),
    drop: db.transaction(drop),
    renew: db.transaction(() => {
      for (const { team, donor } of sql.members.all()) {
        drop(team, donor);
        keep(team, donor);
      }
    }),
    rank: (members, wanted) =>
      rankStrongest(
        [...members],
        (member, rank, size, strength) => sql.page.all(member, rank, rank + size, strength),
        wanted,
      ),
    *between(members, donors, minStrength) {
      const found = new Map(donors.map((donor): [number, StoredConnection[]] => [donor, []]));
      // The service processes one member at a time, because a member has many connections.
      for (const member of members) {
        const ends = otherEndsOf(member);
        for (const [donor, connections] of found) {
          const rank = rankOf(ends, donor);
          const connection = rank === undefined ? undefined : sql.connection.get(member, rank);
          if (connection !== undefined && connection.strength >= minStrength) {
            connections.push(connection);
          }
        }
        yield;
      }
      for (const connections of found.values()) {
        connections.sort((a, b) => b.strength - a.strength);
      }
      return found;
    },
  };
}

function prepareStatements(db: Database) {
  return {
    member: db.prepare<[string, number], { number: number }>(
      'select number from stored_members where team = ? and donor = ?',
    ),
    members: db.prepare<[], { team: string; donor: number }>(
      'select team, donor from stored_members order by number',
    ),
    otherEnds: db.prepare<[number], { packed: Buffer }>(
      'select other_ends packed from stored_members where number = ?',
    ),
    insertMember: db.prepare<[string, number, Buffer]>(
      'insert into stored_members (team, donor, other_ends) values (?, ?, ?)',
    ),
    insert: db.prepare<[FoundConnection & { member: number | bigint; rank: number }]>(
      `insert into stored_connections values (@member, @rank, @donor, @strength, @entityName,
                                              @entityType, @sourceRelationship,
                                              @targetRelationship, @snippet)`,
    ),
    deleteConnections: db.prepare<[number]>('delete from stored_connections where member = ?'),
    deleteMember: db.prepare<[number]>('delete from stored_members where number = ?'),
    page: db.prepare<[number, number, number, number], Ranked>(
      `select donor, strength from stored_connections
       where member = ? and rank >= ? and rank < ? and strength >= ? order by rank`,
    ),
    connection: db.prepare<[number, number], StoredConnection>(
      `select member, donor, strength, entity_name entityName, entity_type entityType,
              source_relationship sourceRelationship, target_relationship targetRelationship,
              snippet
       from stored_connections where member = ? and rank = ?`,
    ),
  };
}
