/** Collects the content of each set-up page for one response. donor-sync does not store the names and values in it. */
import { z } from 'zod';
import type { GroupSummary } from '../../../../connectors/contract.ts';
import { findConnectorDefinition } from '../../../../connectors/index.ts';
import type { LiveDeps } from '../../../clients/live-crm.ts';
import { nextTime } from '../../../clients/schedules/next-time.ts';
import { type CsvHeader, readCsvHeader } from '../../../clients/setup/csv-header.ts';
import {
  checkedIntegration,
  type Setup,
  type SetupDeps,
  serviceAlone,
  workingIntegration,
} from '../../../clients/setup/draft.ts';
import { type MarkFieldValues, markValuesInFile } from '../../../clients/setup/mark-fields.ts';
import {
  findOwnColumns,
  readJournalColumns,
  renameOurs,
} from '../../../clients/setup/own-columns.ts';
import {
  type FieldsPreview,
  lookAtFields,
  lookAtGroups,
  lookAtPeople,
  lookAtPlan,
  lookAtTrial,
  type PeoplePreview,
  type PlanPreview,
  type TrialExample,
} from '../../../clients/setup/setup-preview.ts';
import type { SetupStep } from '../../../clients/setup/steps.ts';
import { takesUploads } from '../../../clients/setup/uploads.ts';
import { hideSecrets, toYaml } from '../../../clients/shown-settings.ts';
import { isDonorSyncError, messageOf } from '../../../core/errors.ts';
import { FIELD_SOURCES, type FieldMapping } from '../../../core/field-map.ts';
import { type Integration, integrationSchema } from '../../../core/integration-settings.ts';
import type { RunReport } from '../../../core/run.ts';
import type { CreditBalances } from '../../../partner/credits.ts';
import type { Settings } from '../../../settings/settings.ts';
import { findRunById } from '../../../sync/statements/runs.ts';
import { findRunReport } from '../../../sync/views/run.ts';
import { type ReasonCount, readReasons } from '../../../sync/views/run-contacts.ts';

/** The label of each step in the list. */
export const STEP_NAMES: Readonly<Record<SetupStep, string>> = {
  crm: 'CRM',
  key: 'Service key',
  people: 'People',
  fields: 'Fields',
  networks: 'Networks',
  schedule: 'Budget and schedule',
  plan: 'Plan and trial',
};

/**
 * The content of a page, in addition to the answers. A part is null if it could not be read. `trouble` explains the
 * reason.
 */
export interface StepView {
  crm: { takesFiles: boolean };
  key: { balances: CreditBalances | null };
  people: {
    header: CsvHeader | null;
    look: PeoplePreview | null;
    /** The values of the chosen mark fields. The page asks the user for the meaning of each value. */
    values: MarkFieldValues[];
  };
  fields: { look: FieldsPreview | null; mappings: readonly FieldMapping[]; names: DefaultNames };
  networks: { groups: GroupSummary[] | null };
  schedule: { next: number[] };
  plan: PlanView;
}

/** The field into which the connector would write each value. */
export type DefaultNames = ReadonlyMap<string, string>;

export interface PlanView {
  look: PlanPreview | null;
  /** The trial run, or null until the user requests it. */
  run: RunReport | null;
  reasons: ReasonCount[];
  examples: TrialExample[];
  /** The time of the schedule's first run (epoch ms), or null if there is no schedule. */
  nextRun: number | null;
  /** The number of mapped fields. */
  fieldCount: number;
  /** The lines of the settings that a change removes and adds. Null for a new integration. */
  diff: DiffLine[] | null;
  /**
   * True if the change affects which contacts a run submits. A change of the submitted contacts also affects the cost.
   */
  changesPeople: boolean;
}

interface Read<Step extends SetupStep> {
  view: StepView[Step];
  /** The reason why a part of the content could not be read. */
  trouble: string | null;
}

/** A step and the content of its page. */
export type Shown = { [Step in SetupStep]: { step: Step } & Read<Step> }[SetupStep];

/** The data for the page of a step. */
export interface StepPageView {
  setup: Setup;
  shown: Shown;
  /** The error in the values that the user submitted. */
  problem: string | null;
  note: string | null;
  /** The values that the operator has set for all set-ups. */
  apps: Settings['setup']['apps'];
  serviceUrl: string | null;
  alerts: Settings['alerts'];
  /**
   * The addresses to which the CRMs redirect users, by kind of CRM. Only the first step of the set-up uses these
   * addresses.
   */
  callbacks: ReadonlyMap<string, string>;
}

type StepDeps = LiveDeps & { setup: SetupDeps; now: number };

/** The steps that the user must complete before a step, for each step. */
const NEEDS: Readonly<Record<SetupStep, readonly SetupStep[]>> = {
  crm: [],
  key: [],
  people: ['crm', 'key'],
  fields: ['crm', 'key', 'people'],
  networks: ['crm', 'key', 'people'],
  schedule: [],
  plan: ['crm', 'key', 'people', 'fields'],
};

/**
 * Returns the first step that the user must complete before the given step. Returns null if the given step can be
 * shown.
 */
export function missingFor({ done }: Pick<Setup, 'done'>, step: SetupStep): SetupStep | null {
  return NEEDS[step].find((needed) => !done.includes(needed)) ?? null;
}

/** Returns the answers as YAML, without secrets. */
export function yamlOfAnswers(setup: Pick<Setup, 'answers'>): string {
  const { partner, crm } = setup.answers;
  const settings = settingsSchema.parse(hideSecrets(workingIntegration(setup)).settings);
  const unanswered = [partner === undefined && 'partner', crm === undefined && 'crm'];
  const shown = Object.entries(settings).filter(([name]) => !unanswered.includes(name));
  return toYaml({ integrations: [Object.fromEntries(shown)] }).trimEnd();
}

const settingsSchema = z.record(z.string(), z.unknown());

const READERS: {
  [Step in SetupStep]: (deps: StepDeps, setup: Setup) => Promise<StepView[Step]>;
} = {
  crm: async ({ setup: { settings } }) => ({ takesFiles: takesUploads(settings) }),
  key: async (deps, { answers }) => ({
    balances: answers.partner === undefined ? null : await readBalances(deps, { answers }),
  }),
  people: async (deps, setup) => {
    const header = await readHeader(setup);
    const isShown = await isReadable(setup);
    const look = isShown ? await lookAtPeople(deps, workingIntegration(setup)) : null;
    const { contacts } = setup.answers;
    const values = header === null ? (look?.values ?? []) : markValuesInFile(header, contacts);
    return { header, look, values };
  },
  fields: async (deps, setup) => {
    const mappings = await readMappings(setup);
    return {
      mappings,
      names: await defaultNames(setup),
      look: await lookAtFields(deps, workingIntegration(setup), mappings),
    };
  },
  networks: async (deps, setup) => ({
    groups: await lookAtGroups(deps, workingIntegration(setup)),
  }),
  schedule: async ({ now }, { answers: { schedule } }) => ({ next: nextRuns(schedule, now) }),
  plan: readPlan,
};

/** The content of a page while the CRM or the service is unavailable. */
const WITHOUT: { [Step in SetupStep]: (deps: StepDeps, setup: Setup) => Promise<StepView[Step]> } =
  {
    crm: READERS.crm,
    key: async () => ({ balances: null }),
    people: async (_, setup) => ({ header: await readHeader(setup), look: null, values: [] }),
    fields: async (_, setup) => ({
      look: null,
      mappings: await readMappings(setup),
      names: await defaultNames(setup),
    }),
    networks: async () => ({ groups: null }),
    schedule: READERS.schedule,
    plan: (deps, setup) => readPlan(deps, setup, false),
  };

/** Reads the content of a step. The page shows problems with the CRM or the service. */
export async function readStep(step: SetupStep, deps: StepDeps, setup: Setup): Promise<Shown> {
  const read = <Step extends SetupStep>(one: Step) => readOne(one, deps, setup);
  switch (step) {
    case 'crm':
      return { step, ...(await read(step)) };
    case 'key':
      return { step, ...(await read(step)) };
    case 'people':
      return { step, ...(await read(step)) };
    case 'fields':
      return { step, ...(await read(step)) };
    case 'networks':
      return { step, ...(await read(step)) };
    case 'schedule':
      return { step, ...(await read(step)) };
    case 'plan':
      return { step, ...(await read(step)) };
  }
}

async function readOne<Step extends SetupStep>(
  step: Step,
  deps: StepDeps,
  setup: Setup,
): Promise<Read<Step>> {
  try {
    return { view: await READERS[step](deps, setup), trouble: null };
  } catch (error) {
    const isLate = deps.signal.aborted;
    if (!isDonorSyncError(error) && !isLate) throw error;
    const trouble = isLate
      ? 'The CRM took too long to answer, so its data is not shown here. You can still continue.'
      : messageOf(error);
    return { view: await WITHOUT[step](deps, setup), trouble };
  }
}

async function readBalances(deps: LiveDeps, setup: Pick<Setup, 'answers'>) {
  const open = await deps.application.open(serviceAlone(setup), deps.signal);
  try {
    return await open.partner.readCredits(deps.signal);
  } finally {
    await open.close();
  }
}

async function readHeader({ answers: { crm } }: Pick<Setup, 'answers'>): Promise<CsvHeader | null> {
  const path = crm?.['path'];
  if (crm?.kind !== 'csv' || typeof path !== 'string') return null;
  const header = await readCsvHeader(path, '/');
  return 'problem' in header ? null : header;
}

/**
 * Returns the field map in the answers, or the connector's field map if the answers contain none. If the client has no
 * networks, leaves out the fields for warm paths, because no run would fill them.
 */
async function readMappings(
  setup: Pick<Setup, 'answers' | 'isNew'>,
): Promise<readonly FieldMapping[]> {
  const { crm, fields, networks } = setup.answers;
  if (fields !== undefined || crm === undefined) return fields ?? [];
  const lines = await readDefaultFields(setup, crm);
  if (networks.length > 0) return lines;
  return lines.filter(({ from }) => !from.startsWith('warmPath.'));
}

const columnsSchema = z.object({ columns: z.object({ id: z.string() }), output: z.string() });

/**
 * Returns the connector's own field map. In a new client, it does not overwrite columns of the file that already have
 * donor-sync's names.
 */
async function readDefaultFields(
  { answers, isNew }: Pick<Setup, 'answers' | 'isNew'>,
  crm: Integration['crm'],
): Promise<readonly FieldMapping[]> {
  const { defaultFields } = await findConnectorDefinition(crm.kind);
  const header = await readHeader({ answers });
  const chosen = columnsSchema.safeParse(crm).data;
  if (header === null || chosen === undefined) return defaultFields;
  const { id } = chosen.columns;
  const own = findOwnColumns(header, defaultFields, {
    journal: await readJournalColumns(chosen.output, '/'),
    previous: new Set(isNew ? [] : defaultFields.map(({ to }) => to)),
    id,
  });
  return renameOurs(defaultFields, own, header.names);
}

async function defaultNames(setup: Setup): Promise<DefaultNames> {
  const { crm } = setup.answers;
  const lines = crm === undefined ? [] : await readDefaultFields(setup, crm);
  return new Map(
    FIELD_SOURCES.flatMap((from) => {
      const line = lines.find((one) => one.from === from);
      return line === undefined ? [] : [[from, line.to] as const];
    }),
  );
}

/** True if the contacts can be read. False for a file whose columns the user has not chosen yet. */
async function isReadable({ answers: { crm } }: Setup): Promise<boolean> {
  if (crm === undefined) return false;
  const { settingsSchema: schema } = await findConnectorDefinition(crm.kind);
  return schema.safeParse(crm).success;
}

const RUNS_SHOWN = 3;

/** Returns the times of the next runs (epoch ms). */
function nextRuns(schedule: Setup['answers']['schedule'], now: number): number[] {
  const times: number[] = [];
  let after = now;
  while (schedule !== null && times.length < RUNS_SHOWN) {
    const next = nextTime(schedule, after);
    if (next === null) break;
    times.push(next);
    after = next;
  }
  return times;
}

async function readPlan(deps: StepDeps, setup: Setup, isLooking = true): Promise<PlanView> {
  const { store } = deps.application;
  const integration = await checkedIntegration(deps.setup, setup);
  const run = setup.trialRun === null ? null : await findRunReport(store.reader, setup.trialRun);
  const isOver = run !== null && run.status !== 'running';
  const begun = run && (await findRunById(store.reader, run.id));
  const isTrying = setup.trialRun !== null && !isOver;
  return {
    run,
    reasons: isOver ? await readReasons(store.reader, run.id) : [],
    examples: isLooking && isOver && begun ? await lookAtTrial(deps, integration, begun) : [],
    look: isLooking && !isTrying ? await lookAtPlan(deps, integration) : null,
    nextRun: nextRuns(setup.answers.schedule, deps.now)[0] ?? null,
    fieldCount: (await readMappings(setup)).length,
    diff: setup.isNew ? null : diffLines(yamlOfStored(setup), yamlOfAnswers(setup)),
    changesPeople:
      !setup.isNew &&
      setup.stored !== null &&
      toPeopleKey(readStored(setup.stored)) !== toPeopleKey(integration),
  };
}

function yamlOfStored({ stored, answers }: Setup): string {
  return yamlOfAnswers({ answers: stored === null ? answers : readStored(stored) });
}

function readStored(stored: string): Integration {
  return integrationSchema.parse(JSON.parse(stored));
}

/** Returns the settings that decide which contacts are submitted and which data is sent. */
function toPeopleKey({ crm: { columns, employer, path }, contacts }: Integration): string {
  return JSON.stringify([columns, employer, path, contacts]);
}

export interface DiffLine {
  sign: '+' | '-' | ' ';
  text: string;
}

/**
 * Compares two versions of the settings line by line, with their longest common subsequence. The comparison is fast
 * enough, because settings are short.
 */
function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const common = a.map(() => b.map(() => 0));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: a[i] ?? '' });
      i += 1;
    } else {
      lines.push({ sign: '+', text: b[j] ?? '' });
      j += 1;
    }
  }
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - 2), index + 3).some(({ sign }) => sign !== ' ');
  return lines.filter((_, index) => isNear(index));
}
