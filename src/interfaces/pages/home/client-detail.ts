/** Reads the content of a client's page from the database. */

import { crmName } from '../../../../connectors/index.ts';
import type { Application } from '../../../application.ts';
import { waitsForConsent } from '../../../clients/consents.ts';
import {
  type PlannedRuns,
  readLastSuccess,
  readPlannedRuns,
} from '../../../clients/views/status.ts';
import {
  type ClientStatus,
  getProblem,
  getStanding,
  type Problem,
} from '../../../clients/views/verdict.ts';
import { countContactWork } from '../../../contacts/contacts.ts';
import { isConfigurationError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { UNKNOWN_PERSON } from '../../../core/outcome.ts';
import type { RunReport } from '../../../core/run.ts';
import type { ValuesWaiting } from '../../../core/waiting-values.ts';
import type { KeyCredits } from '../../../credits/credit-reader.ts';
import { countByIntegration } from '../../../decisions/views/decision-queue.ts';
import { readValuesWaiting } from '../../../fields/waiting-values-view.ts';
import type { RunRequestRecord } from '../../../sync/statements/request-rows.ts';
import { listRunRequests } from '../../../sync/statements/run-requests.ts';
import { countReasonByRun } from '../../../sync/statements/run-rows.ts';
import { listRunRecords, type RunRecord } from '../../../sync/statements/runs.ts';
import { findRunReport, readReport } from '../../../sync/views/run.ts';

export interface IntegrationView {
  id: string;
  name: string;
  /** The kind of CRM, as its vendor spells it. */
  crm: string;
  standing: ClientStatus;
  /**
   * The address at which an admin connects the client to its CRM. Null if no consent is needed or if someone has
   * already given consent.
   */
  connectHref: string | null;
  /** The run that is in progress or queued. */
  current: CurrentRun | null;
  problem: Problem | null;
  /** The time of the last successful run (ISO 8601), or null if no run has succeeded. */
  lastSuccessAt: string | null;
  schedule: PlannedRuns | null;
  /** The number of contacts that the next run still has to finish. */
  waiting: number;
  held: number;
  /** Finished runs, newest first. */
  runs: PastRun[];
}

export interface CurrentRun {
  report: RunReport;
  /** True if the run has started. */
  hasBegun: boolean;
  /** The number of finished contacts among all chosen contacts, and the total number of chosen contacts. */
  done: number;
}

export interface PastRun {
  report: RunReport;
  /** The number of people whom the service does not know. The report counts unknown people as failed contacts. */
  unknown: number;
  /** True if the run's process died before it recorded the result. */
  isCutOff: boolean;
}

/** The maximum number of runs that are shown for a client. */
const SHOWN_RUNS = 10;

export interface ClientDeps {
  application: Pick<
    Application,
    'store' | 'integrations' | 'findRunning' | 'sealer' | 'allowInsecureHttp' | 'credits'
  >;
}

/** A client, with its open decisions and the remaining credits of its service key. */
export interface ClientDetail {
  client: IntegrationView;
  credits: KeyCredits[];
  /** Paid values that wait to be written. */
  valuesWaiting: ValuesWaiting;
}

export async function readClient(
  { application }: ClientDeps,
  integration: Integration,
): Promise<ClientDetail> {
  const { store } = application;
  const { id } = integration;
  const requests = await listRunRequests(store.reader, id);
  const { total } = await countByIntegration(store.reader, new Map([[id, integration]]));
  const signs = await readActivity(application, integration, requests);
  return {
    client: await describe(application, signs, total),
    credits: await application.credits.read([integration]),
    valuesWaiting: await readValuesWaiting(store.reader, id, integration.fields),
  };
}

/** The data that decides the client's status. */
interface IntegrationActivity {
  integration: Integration;
  id: string;
  name: string;
  standing: ClientStatus;
  problem: Problem | null;
  /** The ID of the run that is in progress or queued. */
  currentId: string | null;
  hasBegun: boolean;
  past: RunRecord[];
}

async function readActivity(
  { store, findRunning }: ClientDeps['application'],
  integration: Integration,
  [request]: readonly RunRequestRecord[],
): Promise<IntegrationActivity> {
  const { id, name = id } = integration;
  const running = await findRunning(id);
  const rows = await listRunRecords(store.reader, { integrationId: id, limit: SHOWN_RUNS + 1 });
  const past = rows.filter((row) => row.id !== running?.run).slice(0, SHOWN_RUNS);
  const [lastRun] = past;
  const isRunning = running !== null;
  const problem = getProblem(lastRun);
  const standing = getStanding({ isRunning, isQueued: request !== undefined, lastRun, problem });
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
  application: ClientDeps['application'],
  signs: IntegrationActivity,
  held: number,
): Promise<IntegrationView> {
  const { store } = application;
  const { integration, id, name, standing, problem, past } = signs;
  const { due, submitted, ready } = await countContactWork(store.reader, id);
  const waiting = due + submitted + ready;
  const ids = past.map((row) => row.id);
  const unknown = await countReasonByRun(store.reader, ids, UNKNOWN_PERSON);
  return {
    id,
    name,
    standing,
    problem,
    held,
    waiting,
    crm: crmName(integration.crm.kind),
    connectHref: await readConnectHref(application, integration),
    current: await readCurrent(store, signs, waiting),
    lastSuccessAt: await readLastSuccess(store.reader, id),
    schedule: await readPlannedRuns(store.reader, integration),
    runs: await Promise.all(
      past.map(async (row) => ({
        report: await readReport(store.reader, row, application.sealer),
        unknown: unknown.get(row.id) ?? 0,
        isCutOff: row.status === 'running',
      })),
    ),
  };
}

async function readConnectHref(
  application: ClientDeps['application'],
  integration: Integration,
): Promise<string | null> {
  const { id, crm } = integration;
  try {
    const waits = await waitsForConsent({ application }, integration);
    return waits ? `/oauth/${crm.kind}/start?integration=${encodeURIComponent(id)}` : null;
  } catch (error) {
    // The settings are unusable. The reports of the client's runs explain the problem.
    if (isConfigurationError(error)) return null;
    throw error;
  }
}

type ClientStore = ClientDeps['application']['store'];

async function readCurrent(
  store: ClientStore,
  { currentId, hasBegun }: IntegrationActivity,
  waiting: number,
): Promise<CurrentRun | null> {
  const report = currentId === null ? null : await findRunReport(store.reader, currentId);
  // The run may have ended between the two queries.
  if (report?.status !== 'running') return null;
  return { report, hasBegun, done: Math.max(0, report.contacts.chosen - waiting) };
}

/**
 * Returns the anchor of a client. A client's ID may equal another anchor of the page, such as `holds`. The anchor
 * therefore contains an underscore, because IDs never contain one.
 */
export function toAnchor(integrationId: string): string {
  return `integration_${integrationId}`;
}
