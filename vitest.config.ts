import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findFolderInMemory } from './test/folder-in-memory.ts';

const cores = availableParallelism();

/** Kills and restarts of processes, browsers, packages, the demo, and what is on Postgres alone. */
const SLOW = 'test/**/*.slow.test.ts';

/** What has to be true of both databases: tests by `describeEachDatabase` and `describeOn`. */
const ON_BOTH_DATABASES = globSync('test/**/*.test.ts', { exclude: [SLOW] }).filter((file) =>
  /\bdescribe(EachDatabase|On)\(/.test(readFileSync(file, 'utf8')),
);

/**
 * They build the whole product or work a browser for a minute: beside all the others they would hold them up, and be held
 * up. Two of them at a time take the two cores.
 */
const ALONE = [
  'test/shipping/replay.slow.test.ts',
  'test/shipping/package.slow.test.ts',
  'test/browser/day-long.slow.test.ts',
];

/** A minute or more, most of it waiting: started last, all others would have ended long before them. */
const LONGEST =
  /\/test\/(sweep|simulation|failpoints)\/|\/(wizard-story|worker|demo|hosts|outage|shared-pace)\.slow\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...rest.filter(isLong), ...rest.filter((file) => !isLong(file))];
  }
}

/** Tests of the stand-ins, which the vendors' own clients show to be true: they send there as they come. */
const STAND_INS = 'test/sandbox/**/*.test.ts';

/** Elsewhere the vendors' libraries cannot send by themselves, as in the program. */
const WITHOUT_SENDERS = {
  execArgv: ['--import', join(import.meta.dirname, 'connectors/without-senders.ts')],
};

const inMemory = findFolderInMemory();
const IN_MEMORY = inMemory === undefined ? {} : { env: { TMPDIR: inMemory } };

const FAST = {
  // Loading the product and its libraries again for each file takes half of the processor.
  isolate: false,
  // A sync waits most of its time for jobs and for its own pauses.
  maxWorkers: cores + 3,
  sequence: { groupOrder: 0 },
};

/** At the same time as each other: what the slow ones wait, the others work. */
const SECOND_TIER = {
  // They wait a half of their time for kills, pages and jobs; many more would make neighbours wait for each other.
  maxWorkers: cores + 2,
  sequence: { groupOrder: 1 },
};

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/property-draws.ts'],
    sequence: { sequencer: LongestFirst },
    // A guard against tests that hang, and no measure: real servers, databases and child processes take five times
    // as long on a slow machine that is busy. How fast something is, `bench/` says.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 150_000 } },
    // `npm test` is the projects "fast" and "stand-ins"; `npm run test:all` is all of them, each test once.
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          ...FAST,
          ...IN_MEMORY,
          ...WITHOUT_SENDERS,
          include: ['test/**/*.test.ts'],
          exclude: [SLOW, STAND_INS],
          provide: { databases: ['sqlite'] },
        },
      },
      {
        extends: true,
        test: {
          name: 'stand-ins',
          ...FAST,
          ...IN_MEMORY,
          include: [STAND_INS],
          exclude: [SLOW],
          provide: { databases: ['sqlite'] },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          ...FAST,
          ...IN_MEMORY,
          ...SECOND_TIER,
          ...WITHOUT_SENDERS,
          include: ON_BOTH_DATABASES,
          provide: { databases: ['postgres'] },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          ...IN_MEMORY,
          ...SECOND_TIER,
          ...WITHOUT_SENDERS,
          include: [SLOW],
          exclude: ALONE,
          provide: { databases: ['sqlite', 'postgres'] },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ALONE,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          provide: { databases: ['sqlite'] },
        },
      },
    ],
  },
});
