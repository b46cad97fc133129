import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findFolderInMemory } from './test/folder-in-memory.ts';

const cores = availableParallelism();

/** Tests that kill and restart processes, start browsers, build packages, run the demo, or need Postgres. */
const SLOW = 'test/**/*.slow.test.ts';

/** Tests that must pass on both databases. They use `describeEachDatabase` and `describeOn`. */
const ON_BOTH_DATABASES = globSync('test/**/*.test.ts', { exclude: [SLOW] }).filter((file) =>
  /\bdescribe(EachDatabase|On)\(/.test(readFileSync(file, 'utf8')),
);

/**
 * Tests that build the whole product or drive a browser for a minute. If they ran together with all other tests, each
 * group would delay the other. Two of these tests run at a time and use the two cores.
 */
const ALONE = [
  'test/shipping/replay.slow.test.ts',
  'test/shipping/package.slow.test.ts',
  'test/browser/day-long.slow.test.ts',
];

/**
 * Tests that take a minute or more and mostly wait. They start first, because otherwise they would end long after all
 * others.
 */
const LONGEST =
  /\/test\/(sweep|simulation|failpoints|browser\/walks)\/|\/(wizard-story|worker|demo|hosts|outage|shared-pace|forget-killed|missing\/killed|penetration)\.slow\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...rest.filter(isLong), ...rest.filter((file) => !isLong(file))];
  }
}

/** Tests of the stand-ins with the vendors' own clients. These clients send requests themselves. */
const STAND_INS = 'test/sandbox/**/*.test.ts';

/** In all other tests, and in the program, the vendors' libraries cannot send requests themselves. */
const WITHOUT_SENDERS = {
  execArgv: ['--import', join(import.meta.dirname, 'connectors/senders/without-senders.ts')],
};

const inMemory = findFolderInMemory();
const IN_MEMORY = inMemory === undefined ? {} : { env: { TMPDIR: inMemory } };

const FAST = {
  // If each file loaded the product and its libraries again, loading would take half of the processor time.
  isolate: false,
  // A sync waits most of its time for jobs and for its own pauses.
  maxWorkers: cores + 3,
  sequence: { groupOrder: 0 },
};

/** Both run at the same time, because the slow tests mostly wait while the others work. */
const SECOND_TIER = {
  // These tests spend half of their time waiting for kills, pages and jobs. With many more workers, they would wait
  // for each other.
  maxWorkers: cores + 2,
  sequence: { groupOrder: 1 },
};

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/property-draws.ts'],
    sequence: { sequencer: LongestFirst },
    // The limit stops tests that hang. It is not a measurement. Real servers, databases and child processes take five
    // times as long on a slow, busy machine. `bench/` measures speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 150_000 } },
    // `npm test` runs the projects "fast" and "stand-ins". `npm run test:all` runs all projects, and each test once.
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
