import type { Scenario } from './figure.ts';
import { again } from './scenarios/again.ts';
import { clocks } from './scenarios/clocks.ts';
import { connections } from './scenarios/connections.ts';
import { hubspotFar, salesforceFar } from './scenarios/far.ts';
import { forget } from './scenarios/forget.ts';
import { fuzz } from './scenarios/fuzz.ts';
import { hubspot, hubspotUnlimited } from './scenarios/hubspot.ts';
import { hubspotChanges } from './scenarios/hubspot-changes.ts';
import { kill, killInFlight } from './scenarios/kill.ts';
import { limit } from './scenarios/limit.ts';
import { limitFar, limitLong } from './scenarios/limit-far.ts';
import { matching } from './scenarios/matching.ts';
import { memory } from './scenarios/memory.ts';
import { networksFar } from './scenarios/networks-far.ts';
import { hubspotNight, hubspotNightFar, night, nightFar } from './scenarios/night.ts';
import { paths } from './scenarios/paths.ts';
import { salesforce } from './scenarios/salesforce.ts';
import { serve } from './scenarios/serve.ts';
import { start } from './scenarios/start.ts';
import { throughput } from './scenarios/throughput.ts';

/** Everything that `npm run bench` measures. */
export const SCENARIOS: readonly Scenario[] = [
  limit,
  limitFar,
  limitLong,
  throughput,
  again,
  kill,
  killInFlight,
  clocks,
  forget,
  salesforce,
  night,
  hubspot,
  hubspotUnlimited,
  hubspotNight,
  nightFar,
  hubspotNightFar,
  hubspotChanges,
  salesforceFar,
  hubspotFar,
  networksFar,
  start,
  memory,
  serve,
  connections,
  matching,
  paths,
  fuzz,
];
