import type { Scenario } from './figure.ts';
import { again } from './scenarios/again.ts';
import { clients } from './scenarios/clients.ts';
import { clocks } from './scenarios/clocks.ts';
import { connections } from './scenarios/connections.ts';
import { connectorsBeside } from './scenarios/connectors-beside.ts';
import { hubspotFar, salesforceFar } from './scenarios/far.ts';
import { forget } from './scenarios/forget.ts';
import { fuzz } from './scenarios/fuzz.ts';
import { hubspot, hubspotUnlimited } from './scenarios/hubspot.ts';
import { hubspotChanges } from './scenarios/hubspot-changes.ts';
import { importing } from './scenarios/import.ts';
import { keptProfiles } from './scenarios/kept-profiles.ts';
import { kill, killInFlight } from './scenarios/kill.ts';
import { limit } from './scenarios/limit.ts';
import { limitFar, limitLong } from './scenarios/limit-far.ts';
import { machines } from './scenarios/machines.ts';
import { matching } from './scenarios/matching.ts';
import { memory } from './scenarios/memory.ts';
import { networksFar } from './scenarios/networks-far.ts';
import { hubspotNight, hubspotNightFar, night, nightFar } from './scenarios/night.ts';
import { pages } from './scenarios/pages.ts';
import { pagesBeside } from './scenarios/pages-beside.ts';
import { paths } from './scenarios/paths.ts';
import { picture } from './scenarios/picture.ts';
import { ranking } from './scenarios/ranking.ts';
import { salesforce } from './scenarios/salesforce.ts';
import { scale } from './scenarios/scale.ts';
import { serve, serveBusy } from './scenarios/serve.ts';
import { serviceBeside } from './scenarios/service-beside.ts';
import { serviceBounds, serviceSpeed } from './scenarios/service-speed.ts';
import { start } from './scenarios/start.ts';
import { storage } from './scenarios/storage.ts';
import { throughput } from './scenarios/throughput.ts';
import { uploads } from './scenarios/uploads.ts';
import { viewers } from './scenarios/viewers.ts';

/** The scenarios that `npm run bench` measures. */
export const SCENARIOS: readonly Scenario[] = [
  limit,
  limitFar,
  limitLong,
  throughput,
  again,
  keptProfiles,
  storage,
  kill,
  killInFlight,
  clocks,
  machines,
  scale,
  forget,
  salesforce,
  night,
  hubspot,
  hubspotUnlimited,
  hubspotNight,
  nightFar,
  hubspotNightFar,
  hubspotChanges,
  clients,
  connectorsBeside,
  salesforceFar,
  hubspotFar,
  networksFar,
  start,
  memory,
  serve,
  serveBusy,
  uploads,
  pages,
  pagesBeside,
  picture,
  ranking,
  viewers,
  connections,
  matching,
  importing,
  serviceSpeed,
  serviceBounds,
  serviceBeside,
  paths,
  fuzz,
];
