/** Stores a set-up in a browser. The answers of the set-up are stored in encrypted form until the set-up ends. */
import { z } from 'zod';
import type { Application } from '../../application.ts';
import { type Integration, integrationSchema } from '../../core/integration-settings.ts';
import { TRIAL_SIZE } from '../../core/set-up-trial.ts';
import { setupDraftSealContext } from '../../database/encryption/seal-contexts.ts';
import { removeSecrets, secretPrefix } from '../../database/encryption/secrets.ts';
import type { TimedReader } from '../../database/reader.ts';
import { isSameOrigin } from '../../outbound/address.ts';
import { readPresent } from '../apply-settings.ts';
import { checkDocument } from '../settings-document.ts';
import {
  beginSetupDraft,
  findSetupDraft,
  isSetupIdTaken,
  listOldSetupDrafts,
  listSetupDrafts,
  listSetupDraftsOf,
  removeSetupDraft,
  type SetupDraftRecord,
  saveSetupDraft,
} from '../statements/setup-drafts.ts';
import { proposeIds } from './interview/client.ts';
import { SETUP_STEPS, withStep } from './steps.ts';
import { dropUpload, isUpload, sweepUploads, takesUploads } from './uploads.ts';

const draftSchema = z.object({
  /** True for a new integration, false for a change. */
  isNew: z.boolean(),
  /** The integration's settings at the start of the set-up, as JSON. Null if there were none. */
  stored: z.string().nullable(),
  /** The steps that the user has answered. */
  done: z.array(z.enum(SETUP_STEPS)),
  /** The name of the connected CRM account. Null for a file, and as long as no account is connected. */
  account: z.string().nullable(),
  /** The name of the uploaded file on the user's computer. */
  fileName: z.string().nullable(),
  /** The trial run, which tests the settings with a few contacts. Null before the trial. */
  trialRun: z.string().nullable(),
  answers: integrationSchema.partial({ partner: true, crm: true }),
});

export type Draft = z.infer<typeof draftSchema>;
export type Answers = Draft['answers'];

export interface Setup extends Draft {
  id: string;
  version: number;
  updatedAt: number;
}

export type SetupDeps = Pick<Application, 'store' | 'sealer' | 'settings' | 'integrations'>;

/** Starts a new integration with this name. Returns an ID that no integration has ever had. */
export async function beginSetup(deps: SetupDeps, name: string): Promise<string> {
  await dropOld(deps);
  const ids = proposeIds(name);
  for (;;) {
    const id = ids.next().value;
    if (deps.integrations.has(id) || (await isSetupIdTaken(deps.store.reader, id))) continue;
    const answers = draftSchema.shape.answers.parse({ id, name, budget: { perMonth: 500 } });
    if (await put(deps, id, emptyDraft(answers))) return id;
  }
}

/**
 * Creates a set-up that changes an integration in the database. Does nothing if the integration already has a set-up.
 */
export async function beginChange(deps: SetupDeps, integration: Integration): Promise<void> {
  await dropOld(deps);
  await put(deps, integration.id, {
    ...emptyDraft(integration),
    isNew: false,
    stored: JSON.stringify(integration),
    done: SETUP_STEPS.filter((step) => step !== 'plan'),
  });
}

function emptyDraft(answers: Answers): Draft {
  return {
    isNew: true,
    stored: null,
    done: [],
    account: null,
    fileName: null,
    trialRun: null,
    answers,
  };
}

async function put({ store, sealer }: SetupDeps, id: string, draft: Draft): Promise<boolean> {
  return store.act((trx) =>
    beginSetupDraft(trx, id, sealer.seal(JSON.stringify(draft), setupDraftSealContext(id))),
  );
}

/** The dependencies for reading set-ups. */
interface SetupSource {
  store: { reader: TimedReader };
  sealer: Pick<SetupDeps['sealer'], 'open'>;
}

export async function findSetup({ store, sealer }: SetupSource, id: string): Promise<Setup | null> {
  const row = await findSetupDraft(store.reader, id);
  return row ? opened(sealer, row) : null;
}

/** Lists the set-ups in progress, the latest first. */
export async function listSetups({ store, sealer }: SetupSource): Promise<Setup[]> {
  return (await listSetupDrafts(store.reader)).map((row) => opened(sealer, row));
}

function opened(sealer: SetupSource['sealer'], row: SetupDraftRecord): Setup {
  const { integrationId: id, version, updatedAt } = row;
  const text = sealer.open(row.draft, setupDraftSealContext(id));
  const draft = draftSchema.parse(JSON.parse(text));
  // All addresses of this client were entered in a browser.
  const answers = draft.isNew ? { ...draft.answers, addresses: PUBLIC } : draft.answers;
  return { ...draft, answers, id, version, updatedAt };
}

/** The mark of addresses that were entered in a browser. */
const PUBLIC = 'public' as const;

/** Sets an address. A changed address must be public. */
export function withAddress(answers: Answers, before: string | undefined, url: string): Answers {
  if (isSameOrigin(before ?? '', url)) return answers;
  return { ...answers, addresses: PUBLIC };
}

/** Stores the answers. Returns false if another browser has changed or ended the set-up. */
export async function saveSetup(
  { store, sealer }: Pick<SetupDeps, 'store' | 'sealer'>,
  setup: Setup,
  changes: Partial<Draft>,
): Promise<boolean> {
  const { id: integrationId, version } = setup;
  const text = JSON.stringify(draftSchema.parse({ ...setup, ...changes }));
  const draft = sealer.seal(text, setupDraftSealContext(integrationId));
  return saveSetupDraft(store.connection, { integrationId, version, draft });
}

/**
 * The maximum number of attempts to change a set-up. If several processes change it at the same time, only one of them
 * succeeds.
 */
const MAX_TRIES = 5;

/** Records that an account is connected. Returns false if no set-up has this ID. */
export async function recordConnected(
  deps: Pick<SetupDeps, 'store' | 'sealer'>,
  id: string,
  account: string,
): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const setup = await findSetup(deps, id);
    if (setup === null) return false;
    if (await saveSetup(deps, setup, { account, done: withStep(setup.done, 'crm') })) return true;
  }
  return false;
}

/** Deletes a set-up with its tokens and its file, unless an integration uses them. */
export async function dropSetup(deps: SetupDeps, id: string): Promise<void> {
  const row = await findSetupDraft(deps.store.reader, id);
  if (row !== undefined) await drop(deps, row, 'dropped');
}

const crmSchema = z.object({ crm: z.record(z.string(), z.unknown()) });

async function dropOld(deps: SetupDeps): Promise<void> {
  for (const row of await listOldSetupDrafts(deps.store.reader)) await drop(deps, row, 'old');
}

/** Deletes abandoned set-ups and unused uploads. Returns the names of the deleted files. */
export async function dropLeftovers(deps: SetupDeps, now: number): Promise<string[]> {
  await dropOld(deps);
  return takesUploads(deps.settings) ? sweepUploads(deps.settings, now) : [];
}

/**
 * Deletes a replaced upload, unless the current answers or the stored client still use it. Call this function after the
 * answers have been saved.
 */
export async function dropReplacedUpload(
  { settings, integrations }: Pick<SetupDeps, 'settings' | 'integrations'>,
  gone: Partial<Draft>,
  kept: Partial<Draft>,
): Promise<void> {
  const path = gone.answers?.crm?.['path'];
  const stored = integrations.get(gone.answers?.id ?? '')?.crm['path'];
  if (typeof path !== 'string' || path === stored || path === kept.answers?.crm?.['path']) return;
  await dropUpload(settings, path);
}

async function drop(deps: SetupDeps, row: SetupDraftRecord, why: 'dropped' | 'old'): Promise<void> {
  const { store, integrations, settings } = deps;
  const { integrationId: id } = row;
  const isInUse = integrations.has(id) || (await presentSettings(deps, id)) !== null;
  if (!isInUse) {
    const path = opened(deps.sealer, row).answers.crm?.['path'];
    if (typeof path === 'string') await dropUpload(settings, path);
  }
  await store.act(async (trx) => {
    if (!isInUse) await removeSecrets(trx, secretPrefix(id));
    await removeSetupDraft(trx, id, why);
  });
}

/** Returns the integration's stored settings as JSON, or null if there are none. */
export async function presentSettings(
  { store, sealer }: SetupSource,
  id: string,
): Promise<string | null> {
  return (await readPresent({ store, sealer }, [id])).get(id) ?? null;
}

/**
 * Deletes this integration's uploads, unless another integration uses them. Call this function before the settings are
 * deleted. The settings contain the file names, so an interrupted deletion can be repeated.
 */
export async function dropUploads(deps: SetupDeps, id: string): Promise<string[]> {
  const dropped: string[] = [];
  for (const path of await listOwnUploads(deps, id)) {
    dropped.push(...(await dropUpload(deps.settings, path)));
  }
  return dropped;
}

/** True if the integration may have an uploaded file. */
export async function hasUpload(deps: SetupDeps, id: string): Promise<boolean> {
  return (await listOwnUploads(deps, id)).length > 0;
}

/** Returns the paths of uploads that only this integration uses. */
async function listOwnUploads(deps: SetupDeps, id: string): Promise<string[]> {
  const present = await presentSettings(deps, id);
  const stored = present === null ? undefined : crmSchema.parse(JSON.parse(present)).crm;
  const drafts = await listSetupDraftsOf(deps.store.reader, id);
  const crms = drafts.map((row) => opened(deps.sealer, row).answers.crm);
  const others = [...deps.integrations.values()].filter((one) => one.id !== id);
  const named = new Set(others.flatMap(({ crm }) => [crm['path'], crm['output']]));
  const paths = [...new Set([stored, ...crms].map((crm) => crm?.['path']))];
  return paths.filter((path) => isUpload(deps.settings, path)).filter((path) => !named.has(path));
}

/**
 * A placeholder for a missing address. The placeholder is never stored, and donor-sync sends no request to this
 * address.
 */
const NOTHING_YET = {
  partner: { baseUrl: 'https://not-set.invalid', apiKey: 'not-set', shareProfiles: true },
  crm: { kind: 'csv', path: '/dev/null', columns: { id: 'id', fullName: 'name' } },
};

export function workingIntegration({ answers }: Pick<Setup, 'answers'>): Integration {
  const { partner = NOTHING_YET.partner, crm = NOTHING_YET.crm } = answers;
  return { ...answers, partner, crm };
}

export function serviceAlone(setup: Pick<Setup, 'answers'>): Integration {
  return { ...workingIntegration(setup), crm: NOTHING_YET.crm };
}

/** Returns the checked integration. Throws a ConfigurationError that lists every problem. */
export async function checkedIntegration(
  { settings: { allowInsecureHttp } }: Pick<SetupDeps, 'settings'>,
  { answers }: Pick<Setup, 'answers'>,
): Promise<Integration> {
  const options = { path: 'the set-up', allowInsecureHttp };
  const [integration] = await checkDocument([answers], options);
  if (integration === undefined) throw new Error('the settings of the set-up contain no client');
  return integration;
}

/**
 * Returns the integration with the limits of a trial. A trial run spends no more than its limit, has no schedule and
 * creates no networks. The limit applies even if a user changes the set-up during the run.
 */
export function onTrial(integration: Integration): Integration {
  const { budget } = integration;
  const perRun = Math.min(TRIAL_SIZE, budget.perRun ?? TRIAL_SIZE);
  return { ...integration, schedule: null, networks: [], budget: { ...budget, perRun } };
}
