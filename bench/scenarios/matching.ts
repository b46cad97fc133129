/**
 * Measures how often the service finds the right donor. The contacts contain variations that are not in the matcher's
 * lists.
 */

import { fileURLToPath } from 'node:url';
import { readPublicRecord } from '../../people/public-record.ts';
import { createWorld, type World } from '../../people/world.ts';
import { openDatabase } from '../../service/database.ts';
import { openDonorIndex } from '../../service/matcher/donor-index.ts';
import { createMatcher, type Match } from '../../service/matcher/matcher.ts';
import {
  atLeast,
  atMost,
  exactly,
  type Figure,
  plain,
  quantile,
  round,
  type Scenario,
} from '../figure.ts';
import { createBaseline } from './matching/baseline.ts';
import { CLASSES, drawPersons, type TestPerson } from './matching/persons.ts';

export const matching: Scenario = {
  name: 'matching',
  title: 'which donor a person is, among 20,000 invented and 3,751 real ones',
  measure: async ({ seed } = {}) => measureMatching(Number(seed ?? SEED)),
};

/** The seed with which the matcher's weights were chosen. `--seed` selects a different seed. */
const SEED = 20;
const DONORS = 20_000;
const PERSONS = 6_000;
/** The number of people for the baseline. It is small, because the baseline compares each person with every donor. */
const BASELINE_PERSONS = 120;
const BINS = 10;

interface Outcome {
  person: TestPerson;
  match: Match;
}

function measureMatching(seed: number): Figure[] {
  const world = createWorld({
    seed,
    donors: DONORS,
    realPeople: readPublicRecord(
      fileURLToPath(new URL('../../people/data/public-record', import.meta.url)),
    ),
  });
  const persons = drawPersons(world, DONORS, PERSONS);
  const db = openDatabase(undefined);
  const matcher = createMatcher(openDonorIndex(db, persons.world));
  const times: number[] = [];
  const outcomes = persons.list.map((person): Outcome => {
    const begun = performance.now();
    const match = matcher.match(person);
    times.push(performance.now() - begun);
    return { person, match };
  });
  db.close();
  return [
    ...overall(outcomes, persons.world),
    ...byClass(outcomes),
    plain('match, p99', quantile(times, 0.99), 'ms'),
    ...baseline(persons.world, persons.list),
  ];
}

function overall(outcomes: readonly Outcome[], world: World): Figure[] {
  const there = outcomes.filter(({ person }) => person.donor !== null);
  const away = outcomes.filter(({ person }) => person.donor === null);
  const found = there.filter(({ match }) => match.donorNumber !== null);
  const wrongly = away.filter(({ match }) => match.donorNumber !== null);
  const silent = outcomes.filter(({ match }) => isSilentlyDead(match, world));
  return [
    atLeast('recall', share(there, isRight), '', 0.9),
    atLeast('precision for people in the file', share(found, isRight), '', 0.995),
    atMost('matched of people not in the file', round(wrongly.length / away.length), '', 0.002),
    exactly('deceased donors matched without a warning', silent.length, '', 0),
    atMost('expected calibration error', calibrationError(outcomes), '', 0.05),
  ];
}

function byClass(outcomes: readonly Outcome[]): Figure[] {
  return [...CLASSES].flatMap((name) => {
    const mine = outcomes.filter(({ person }) => person.noise === name);
    const found = mine.filter(({ match }) => match.donorNumber !== null);
    const error = plain(`  ${name}: calibration error`, calibrationError(mine), '');
    if (name === 'not there') return [error];
    const least = name === 'moved or former employer' || name === 'exact' ? 0 : 0.8;
    return [
      atLeast(`${name}: recall of ${mine.length}`, share(mine, isRight), '', least),
      plain(`  ${name}: precision`, share(found, isRight), ''),
      error,
    ];
  });
}

function isRight({ person, match }: Outcome): boolean {
  return match.donorNumber !== null && match.donorNumber === person.donor;
}

function isSilentlyDead({ donorNumber, reasons }: Match, world: World): boolean {
  if (donorNumber === null || world.donor(donorNumber).isDeceased !== true) return false;
  return !reasons.some((reason) => reason.includes('died'));
}

function share(outcomes: readonly Outcome[], test: (outcome: Outcome) => boolean): number {
  return round(outcomes.filter(test).length / Math.max(1, outcomes.length));
}

/** Returns the average difference between the reported probability and the share of right answers. */
function calibrationError(outcomes: readonly Outcome[]): number {
  const bins = Map.groupBy(outcomes, ({ match }) =>
    Math.min(BINS - 1, Math.floor(match.probability * BINS)),
  );
  let error = 0;
  for (const bin of bins.values()) {
    const said = bin.reduce((sum, { match }) => sum + match.probability, 0);
    error += Math.abs(said - bin.filter(isLikeliestRight).length);
  }
  return round(error / Math.max(1, outcomes.length));
}

/**
 * Returns true if the most likely donor is the right donor. If there is a match, the most likely donor is the matched
 * donor. If there is no match, it is the donor with the highest probability.
 */
function isLikeliestRight({ person, match }: Outcome): boolean {
  const likeliest = match.donorNumber ?? match.runnerUp?.donorNumber ?? null;
  return likeliest !== null && likeliest === person.donor;
}

function baseline(world: World, persons: readonly TestPerson[]): Figure[] {
  const step = Math.floor(persons.length / BASELINE_PERSONS);
  const asked = persons.filter((_, index) => index % step === 0);
  const find = createBaseline(world);
  const answers = asked.map((person) => ({ person, donor: find(person) }));
  const there = answers.filter(({ person }) => person.donor !== null);
  const found = there.filter(({ donor }) => donor !== null);
  const right = there.filter(({ person, donor }) => donor === person.donor);
  const away = answers.filter(({ person }) => person.donor === null);
  const wrongly = away.filter(({ donor }) => donor !== null);
  return [
    plain('baseline: recall', round(right.length / there.length), ''),
    plain('baseline: precision', round(right.length / Math.max(1, found.length)), ''),
    plain('baseline: matched of people not in the file', round(wrongly.length / away.length), ''),
  ];
}
