/**
 * Stores simple facts about all donors in columns. With these columns, a search can quickly exclude most of a million
 * donors.
 */

import { z } from 'zod';
import type { Database } from '../database.ts';
import type { Donor } from '../donor.ts';
import { type Piece, piece } from '../pieces.ts';
import { type NumbersOf, readColumn, writeColumn } from './columns.ts';
import type { Filters } from './criteria.ts';
import { createTextTest } from './texts.ts';

/** The value for an unknown amount, or for a donor without an address. */
const UNKNOWN = -1;

/** Collects facts about donors. The donors must be added in the order of their numbers. */
export interface FactWriter {
  add(donor: Donor): void;
  /** Stores all facts in the database. */
  finish(): void;
}

/** The stored facts. */
export interface Facts {
  /** The numbers of all donors, sorted by capacity. The highest capacity comes first. */
  readonly byCapacity: Uint32Array;
  /** Compares the capacity of two donors. Callers use the function to sort some of the donors. */
  compareCapacity(a: number, b: number): number;
  /**
   * Returns a function that tests whether a donor can match. The function returns false for donors that certainly do
   * not match.
   */
  testOf(filters: Filters, year: number): (number: number) => boolean;
  /** The data that is needed for the first response. The service can read the data in advance. */
  pieces: readonly Piece[];
}

/** Opens the writer for a new database of `donorCount` donors. */
export function createFactWriter(db: Database, donorCount: number): FactWriter {
  const columns = {
    birthYears: new Int16Array(donorCount),
    places: new Int32Array(donorCount),
    netWorthLows: new Float64Array(donorCount),
    netWorthHighs: new Float64Array(donorCount),
    capacities: new Float64Array(donorCount),
  };
  const places = new Map<string, number>();
  let next = 0;
  return {
    add({ birthYear, isDeceased, addresses: [home], netWorth, capacity }) {
      // The birth year of a deceased donor is stored as unknown, so that a search ignores the age.
      columns.birthYears[next] = isDeceased === true ? UNKNOWN : (birthYear ?? UNKNOWN);
      columns.places[next] = home === undefined ? UNKNOWN : numberOfPlace(places, home);
      columns.netWorthLows[next] = netWorth?.low ?? UNKNOWN;
      columns.netWorthHighs[next] = netWorth?.high ?? UNKNOWN;
      columns.capacities[next] = capacity.nonprofit ?? UNKNOWN;
      next += 1;
    },
    finish() {
      for (const [name, numbers] of Object.entries(columns)) {
        writeColumn(db, name, numbers);
      }
      writeColumn(db, 'byCapacity', orderByCapacity(columns.capacities));
      writePlaces(db, places);
    },
  };
}

/**
 * Opens the facts. They are read when they are first used, and then stay in memory. A million donors need about 40
 * megabytes.
 */
export function openFacts(db: Database): Facts {
  const column = <T>(name: string, Numbers: NumbersOf<T>) =>
    piece(() => readColumn(db, 'search_columns', name, Numbers));
  const birthYears = column('birthYears', Int16Array);
  const places = column('places', Int32Array);
  const netWorthLows = column('netWorthLows', Float64Array);
  const netWorthHighs = column('netWorthHighs', Float64Array);
  const capacities = column('capacities', Float64Array);
  const byCapacity = column('byCapacity', Uint32Array);
  const names = piece(() => readPlaces(db));
  return {
    get byCapacity() {
      return byCapacity();
    },
    compareCapacity: (a, b) => compareBy(capacities())(a, b),
    testOf(filters, year) {
      const fittingPlaces = findPlaces(names, filters);
      const { min_age, max_age, min_net_worth, max_net_worth, min_capacity } = filters;
      const tests = [
        fittingPlaces === undefined ? [] : [isPlaceIn(places(), fittingPlaces)],
        max_age === undefined ? [] : [isAtLeast(birthYears(), year - max_age)],
        min_age === undefined ? [] : [isAtMost(birthYears(), year - min_age)],
        min_net_worth === undefined ? [] : [isAtLeast(netWorthLows(), min_net_worth)],
        max_net_worth === undefined ? [] : [isAtMost(netWorthHighs(), max_net_worth)],
        min_capacity === undefined ? [] : [isAtLeast(capacities(), min_capacity)],
      ].flat();
      return (number) => tests.every((test) => test(number));
    },
    pieces: [birthYears, places, netWorthLows, netWorthHighs, capacities, byCapacity, names],
  };
}

function isPlaceIn(places: Int32Array, fitting: ReadonlySet<number>): (number: number) => boolean {
  return (number) => fitting.has(places[number] ?? UNKNOWN);
}

type Column = Int16Array | Float64Array;

function isAtLeast(column: Column, bound: number): (number: number) => boolean {
  return (number) => (column[number] ?? UNKNOWN) >= Math.max(0, bound);
}

/**
 * Returns a function that tests whether an amount is at most as high as the limit. An unknown amount does not count as
 * low.
 */
function isAtMost(column: Column, bound: number): (number: number) => boolean {
  return (number) => {
    const figure = column[number] ?? UNKNOWN;
    return figure !== UNKNOWN && figure <= bound;
  };
}

interface PlaceName {
  city: string;
  state: string;
}

function numberOfPlace(places: Map<string, number>, { city, state }: PlaceName): number {
  const key = JSON.stringify([city, state]);
  const number = places.get(key) ?? places.size;
  places.set(key, number);
  return number;
}

function writePlaces(db: Database, places: ReadonlyMap<string, number>): void {
  const insert = db.prepare<[number, string]>('insert into search_places values (?, ?)');
  for (const [key, number] of places) {
    insert.run(number, key);
  }
}

function readPlaces(db: Database): PlaceName[] {
  const keys = db.prepare('select name from search_places order by number').pluck().all();
  return z
    .array(z.string())
    .parse(keys)
    .map((key) => {
      const [city, state] = placeKey.parse(JSON.parse(key));
      return { city, state };
    });
}

const placeKey = z.tuple([z.string(), z.string()]);

/** Finds places that the filters name. Returns undefined if the filters name no place. */
function findPlaces(
  namesOf: () => readonly PlaceName[],
  filters: Filters,
): Set<number> | undefined {
  if (filters.city === undefined && filters.state === undefined) {
    return undefined;
  }
  const isCity = createTextTest(filters.city ?? '');
  return new Set(
    namesOf().flatMap(({ city, state }, number) =>
      isCity(city) && (filters.state ?? state) === state ? [number] : [],
    ),
  );
}

function orderByCapacity(capacities: Float64Array): Uint32Array {
  const order = Uint32Array.from(capacities, (_, number) => number);
  return order.sort(compareBy(capacities));
}

function compareBy(capacities: Float64Array): (a: number, b: number) => number {
  return (a, b) => (capacities[b] ?? 0) - (capacities[a] ?? 0) || a - b;
}
