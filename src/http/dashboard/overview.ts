/** All that the status page shows, read from the store. */
import { waitsForConsent } from '../../application/consents.ts';
import type { Application } from '../../application.ts';
import { isConfigurationError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration.ts';
import type { RunReport } from '../../core/run.ts';
import type { RunRequestRecord } from '../../store/runs/run-requests.ts';
import type { RunRecord } from '../../store/runs/runs.ts';
import { findRunReport, reportOf } from '../../views/run.ts';
import { type PlannedRuns, readLastSuccess, readPlannedRuns } from '../../views/status.ts';
import type { CreditReader, KeyCredits } from './credits.ts';
import { type HoldsView, readHolds } from './holds.ts';
import {
  judge,
  type Problem,
  problemOf,
  type Standing,
  standingOf,
  type Verdict,
} from './verdict.ts';

export interface Overview {
  verdict: Verdict;
  integrations: IntegrationView[];
  /** How many integrations there are in all, and which of them comes first on this page. */
  total: number;
  from: number;
  holds: HoldsView;
  credits: KeyCredits[];
}

export interface IntegrationView {
  id: string;
  name: string;
  /** The kind of CRM as its maker writes it. */
  crm: string;
  standing: Standing;
  /** Where an admin lets it into its CRM; null if it needs no consent, or has one. */
  connectHref: string | null;
  /** The run that is going on or waits to begin. */
  current: CurrentRun | null;
  problem: Problem | null;
  /** ISO 8601. */
  lastSuccessAt: string | null;
  schedule: PlannedRuns | null;
  /** Contacts with work left for the next run. */
  waiting: number;
  held: number;
  /** Runs that are over, the newest first. */
  runs: PastRun[];
}

export interface CurrentRun {
  report: RunReport;
  /** Whether it has begun. */
  hasBegun: boolean;
  /** Contacts that were chosen and are settled, of those that were chosen. */
  done: number;
}

export interface PastRun {
  report: RunReport;
  /** It is over, and how it ended is not on record: its process was gone. */
  isCutOff: boolean;
}

/** Integrations on one page. */
export const PAGE_SIZE = 20;

/** Runs that are shown of each integration. */
const SHOWN_RUNS = 5;

export interface OverviewDeps {
  application: Pick<
    Application,
    'store' | 'integrations' | 'findRunning' | 'sealer' | 'allowInsecureHttp'
  >;
  credits: CreditReader;
}

/** Reads the page that begins with the integration at place `from`. */
export async function readOverview(
  { application, credits }: OverviewDeps,
  from: number,
): Promise<Overview> {
  const { store } = application;
  const integrations = [...application.integrations.values()];
  const requests = Map.groupBy(await store.runRequests.list(), (row) => row.integrationId);
  const { byIntegration, ...holds } = await readHolds(store, application.integrations);
  const all = await Promise.all(
    integrations.map((one) => readSigns(application, one, requests.get(one.id) ?? [])),
  );
  const places = new Map(integrations.map(({ id }, place) => [id, place]));
  const shown = all.slice(from, from + PAGE_SIZE);
  return {
    verdict: judge(all, holds.total, (id) => hrefOf(id, places.get(id) ?? 0, from)),
    integrations: await Promise.all(
      shown.map((signs) => describe(application, signs, byIntegration.get(signs.id) ?? 0)),
    ),
    total: all.length,
    from,
    holds,
    credits: await credits.read(shown.map(({ integration }) => integration)),
  };
}

/** Where an integration is on this page, or on another one. */
function hrefOf(id: string, place: number, from: number): string {
  const first = place - (place % PAGE_SIZE);
  const anchor = `#${anchorOf(id)}`;
  return first === from ? anchor : `/?from=${first}${anchor}`;
}

/** What is read of every integration, also of those that are not on the page. */
interface IntegrationSigns {
  integration: Integration;
  id: string;
  name: string;
  standing: Standing;
  problem: Problem | null;
  /** The id of the run that is going on or waits. */
  currentId: string | null;
  hasBegun: boolean;
  past: RunRecord[];
}

async function readSigns(
  { store, findRunning }: OverviewDeps['application'],
  integration: Integration,
  [request]: readonly RunRequestRecord[],
): Promise<IntegrationSigns> {
  const { id, name = id } = integration;
  const running = await findRunning(id);
  const rows = await store.runs.list({ integrationId: id, limit: SHOWN_RUNS + 1 });
  const past = rows.filter((row) => row.id !== running?.run).slice(0, SHOWN_RUNS);
  const [lastRun] = past;
  const isRunning = running !== null;
  const problem = problemOf(lastRun);
  const standing = standingOf({ isRunning, isQueued: request !== undefined, lastRun, problem });
  return {
    integration,
    id,
    name,
    standing,
    past,
    problem: standing === 'syncing' || standing === 'queued' ? null : problem,
    currentId: isRunning ? running.run : (request?.runId ?? null),
    hasBegun: isRunning,
  };
}

async function describe(
  application: OverviewDeps['application'],
  signs: IntegrationSigns,
  held: number,
): Promise<IntegrationView> {
  const { store } = application;
  const { integration, id, name, standing, problem, past } = signs;
  const { due, submitted, ready } = await store.contacts.countWork(id);
  const waiting = due + submitted + ready;
  return {
    id,
    name,
    standing,
    problem,
    held,
    waiting,
    crm: CRM_NAMES.get(integration.crm.kind) ?? integration.crm.kind,
    connectHref: await readConnectHref(application, integration),
    current: await readCurrent(store, signs, waiting),
    lastSuccessAt: await readLastSuccess(store, id),
    schedule: await readPlannedRuns(store, integration),
    runs: await Promise.all(
      past.map(async (row) => ({
        report: await reportOf(store, row),
        isCutOff: row.status === 'running',
      })),
    ),
  };
}

async function readConnectHref(
  application: OverviewDeps['application'],
  integration: Integration,
): Promise<string | null> {
  const { id, crm } = integration;
  try {
    const waits = await waitsForConsent({ application }, integration);
    return waits ? `/oauth/${crm.kind}/start?integration=${encodeURIComponent(id)}` : null;
  } catch (error) {
    // Settings that cannot be used: its runs say so.
    if (isConfigurationError(error)) return null;
    throw error;
  }
}

const CRM_NAMES: ReadonlyMap<string, string> = new Map([
  ['salesforce', 'Salesforce'],
  ['hubspot', 'HubSpot'],
  ['csv', 'CSV file'],
  ['memory', 'Memory'],
]);

type OverviewStore = OverviewDeps['application']['store'];

async function readCurrent(
  store: OverviewStore,
  { currentId, hasBegun }: IntegrationSigns,
  waiting: number,
): Promise<CurrentRun | null> {
  const report = currentId === null ? null : await findRunReport(store, currentId);
  // It may have ended between the two looks.
  if (report?.status !== 'running') return null;
  return { report, hasBegun, done: Math.max(0, report.contacts.chosen - waiting) };
}

/**
 * The name of an integration's place on the status page. The page has names of its own, which an
 * integration may be called as well (`holds`), and no id has an underscore.
 */
export function anchorOf(integrationId: string): string {
  return `integration_${integrationId}`;
}
