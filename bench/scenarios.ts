import type { Scenario } from './figure.ts';
import { again } from './scenarios/again.ts';
import { kill } from './scenarios/kill.ts';
import { limit } from './scenarios/limit.ts';
import { memory } from './scenarios/memory.ts';
import { night } from './scenarios/night.ts';
import { salesforce } from './scenarios/salesforce.ts';
import { throughput } from './scenarios/throughput.ts';

/** Everything that `npm run bench` measures. */
export const SCENARIOS: readonly Scenario[] = [
  limit,
  throughput,
  again,
  kill,
  salesforce,
  night,
  memory,
];
