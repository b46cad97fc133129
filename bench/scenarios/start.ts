import { atMost, type Figure, plain, round, type Scenario } from '../figure.ts';
import { measureSync } from '../measured-sync.ts';
import { PROGRAM } from '../program.ts';
import { compareStarts } from '../start-cost.ts';
import { UNLIMITED, withWorkplace } from '../with-workplace.ts';

const CONTACTS = 300;
const ROUNDS = 15;

/**
 * Measures how long a user waits for a command, and how much memory and time a process needs before it does any work.
 */
export const start: Scenario = {
  name: 'start',
  title: 'one process of the program, compared with an empty Node process',
  measure: () =>
    withWorkplace(CONTACTS, UNLIMITED, async ({ settings }) => {
      await measureSync(settings);
      return [
        ...(await figuresOf('--help', ['--help'], { times: 4, megabytes: 60 })),
        ...(await figuresOf('status', ['status', '--config', settings], { times: 6.5 })),
      ];
    }),
};

/**
 * Returns ratios of two measured values. The speed of the machine affects both values in the same way, so the ratios
 * are the same on all machines.
 */
async function figuresOf(
  name: string,
  words: readonly string[],
  most: { times: number; megabytes?: number },
): Promise<Figure[]> {
  const { empty, started } = await compareStarts([PROGRAM, ...words], { rounds: ROUNDS });
  const megabytes = round(started.megabytes);
  return [
    atMost(
      `${name}: time compared with an empty Node process`,
      round(started.ms / empty.ms),
      '×',
      most.times,
    ),
    plain(`${name}: time`, round(started.ms), 'ms'),
    most.megabytes === undefined
      ? plain(`${name}: memory`, megabytes, 'MB')
      : atMost(`${name}: memory`, megabytes, 'MB', most.megabytes),
    plain(
      `${name}: memory compared with an empty Node process`,
      round(started.megabytes / empty.megabytes),
      '×',
    ),
  ];
}
