/** A set-up in a browser: what was answered so far, sealed in the store until it is finished or dropped. */
import { z } from 'zod';
import type { Application } from '../../application.ts';
import { type Integration, integrationSchema } from '../../core/integration-settings.ts';
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
  removeSetupDraft,
  type SetupDraftRecord,
  saveSetupDraft,
} from '../statements/setup-drafts.ts';
import { SETUP_STEPS, withStep } from './steps.ts';
import { dropUpload, isUpload } from './uploads.ts';

const draftSchema = z.object({
  /** True of an integration that is made here, false of one that was there and is changed. */
  isNew: z.boolean(),
  /** What is in the database of it as far as the set-up knows, as JSON; null for nothing. */
  stored: z.string().nullable(),
  /** The steps that were answered. */
  done: z.array(z.enum(SETUP_STEPS)),
  /** What the CRM calls the account that was let in; null before, and for a file. */
  account: z.string().nullable(),
  /** What the user called the file that was dropped. */
  fileName: z.string().nullable(),
  /** The run that tries the settings on a few contacts; null before. */
  trialRun: z.string().nullable(),
  answers: integrationSchema.partial({ partner: true, crm: true }),
});

export type Draft = z.infer<typeof draftSchema>;
export type Answers = Draft['answers'];

/** A draft with its place in the store. */
export interface Setup extends Draft {
  id: string;
  version: number;
  updatedAt: number;
}

export type SetupDeps = Pick<Application, 'store' | 'sealer' | 'settings' | 'integrations'>;

/** Begins a new integration of this name and returns its id, which no other one has or had. */
export async function beginSetup(deps: SetupDeps, name: string): Promise<string> {
  await dropOld(deps);
  const stem = idFrom(name);
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? stem : `${stem}-${number}`;
    if (deps.integrations.has(id) || (await isSetupIdTaken(deps.store.reader, id))) continue;
    const answers = draftSchema.shape.answers.parse({ id, name, budget: { perMonth: 500 } });
    if (await put(deps, id, emptyDraft(answers))) return id;
  }
}

/** Begins to change an integration that is in the database; one that is being changed goes on as it is. */
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

/** What it takes to read set-ups. */
interface SetupSource {
  store: { reader: TimedReader };
  sealer: Pick<SetupDeps['sealer'], 'open'>;
}

export async function findSetup({ store, sealer }: SetupSource, id: string): Promise<Setup | null> {
  const row = await findSetupDraft(store.reader, id);
  return row ? opened(sealer, row) : null;
}

/** Those that are under way, the latest first. */
export async function listSetups({ store, sealer }: SetupSource): Promise<Setup[]> {
  return (await listSetupDrafts(store.reader)).map((row) => opened(sealer, row));
}

function opened(sealer: SetupSource['sealer'], row: SetupDraftRecord): Setup {
  const { integrationId: id, version, updatedAt } = row;
  const text = sealer.open(row.draft, setupDraftSealContext(id));
  const draft = draftSchema.parse(JSON.parse(text));
  // Of a client that begins here, a browser sets every address.
  const answers = draft.isNew ? { ...draft.answers, addresses: PUBLIC } : draft.answers;
  return { ...draft, answers, id, version, updatedAt };
}

/** What settings say of addresses that were set in a browser. */
const PUBLIC = 'public' as const;

/** The answers with an address that a browser has set: if it leads elsewhere than before, requests keep to public ones. */
export function withAddress(answers: Answers, before: string | undefined, url: string): Answers {
  if (isSameOrigin(before ?? '', url)) return answers;
  return { ...answers, addresses: PUBLIC };
}

/** Keeps what was answered; false if another browser has changed or ended the set-up meanwhile. */
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

/** Of several tries one has the last word, whatever else is at it. */
const MAX_TRIES = 5;

/** Notes that the user has let the set-up into an account; false if nothing of that id is being set up. */
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

/** Forgets a set-up with what it has brought: tokens and the file, unless an integration uses them. */
export async function dropSetup(deps: SetupDeps, id: string): Promise<void> {
  const row = await findSetupDraft(deps.store.reader, id);
  if (row !== undefined) await drop(deps, row, 'dropped');
}

async function dropOld(deps: SetupDeps): Promise<void> {
  for (const row of await listOldSetupDrafts(deps.store.reader)) await drop(deps, row, 'old');
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

/** What is in the database of this integration now, as JSON; null if nothing is. */
export async function presentSettings(
  { store, sealer }: SetupSource,
  id: string,
): Promise<string | null> {
  return (await readPresent({ store, sealer })).get(id) ?? null;
}

/**
 * Takes away the files that were dropped into the set-up of this integration, unless another one names them, and
 * returns their names. Before its settings go: they alone say which files these are, so that what is cut off is
 * done by the same command.
 */
export async function dropUploads(deps: SetupDeps, id: string): Promise<string[]> {
  const dropped: string[] = [];
  for (const path of await listOwnUploads(deps, id)) {
    dropped.push(...(await dropUpload(deps.settings, path)));
  }
  return dropped;
}

/** True if `dropUploads` would look for a file. */
export async function hasUpload(deps: SetupDeps, id: string): Promise<boolean> {
  return (await listOwnUploads(deps, id)).length > 0;
}

/** The paths of uploads that this integration alone names. */
async function listOwnUploads(deps: SetupDeps, id: string): Promise<string[]> {
  const present = await presentSettings(deps, id);
  const stored = present === null ? undefined : integrationSchema.parse(JSON.parse(present)).crm;
  const draft = (await findSetup(deps, id))?.answers.crm;
  const others = [...deps.integrations.values()].filter((one) => one.id !== id);
  const named = new Set(others.flatMap(({ crm }) => [crm['path'], crm['output']]));
  const paths = [...new Set([stored?.['path'], draft?.['path']])];
  return paths.filter((path) => isUpload(deps.settings, path)).filter((path) => !named.has(path));
}

/** Letters that an id may have, of a name in any script. */
function idFrom(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}+/gu, '');
  const words = plain.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return words.replace(/^-|-$/g, '').slice(0, 40).replace(/-$/, '') || 'client';
}

/** Stands where nothing was answered yet; never stored, and nothing is asked of it. */
const NOTHING_YET = {
  partner: { baseUrl: 'https://not-set.invalid', apiKey: 'not-set', shareProfiles: true },
  crm: { kind: 'csv', path: '/dev/null', columns: { id: 'id', fullName: 'name' } },
};

/** The answers as an integration, to look into the CRM with. */
export function workingIntegration({ answers }: Pick<Setup, 'answers'>): Integration {
  const { partner = NOTHING_YET.partner, crm = NOTHING_YET.crm } = answers;
  return { ...answers, partner, crm };
}

/** The same to ask the service alone, whatever is known of the CRM. */
export function serviceAlone(setup: Pick<Setup, 'answers'>): Integration {
  return { ...workingIntegration(setup), crm: NOTHING_YET.crm };
}

/**
 * The answers as settings that were checked like those of a file. Throws a ConfigurationError that names
 * every problem.
 */
export async function checkedIntegration(
  { settings: { allowInsecureHttp } }: Pick<SetupDeps, 'settings'>,
  { answers }: Pick<Setup, 'answers'>,
): Promise<Integration> {
  const options = { path: 'the set-up', allowInsecureHttp };
  const [integration] = await checkDocument([answers], options);
  if (integration === undefined) throw new Error('the settings of the set-up hold no integration');
  return integration;
}

/** How many contacts the trial of a set-up sends. */
export const TRIAL_SIZE = 25;

/**
 * The integration while it is on trial: a run spends no more than the trial, none begins by itself, and no network
 * is made. Whatever happens to the set-up meanwhile, no more is spent than a person asked for.
 */
export function onTrial(integration: Integration): Integration {
  const { budget } = integration;
  const perRun = Math.min(TRIAL_SIZE, budget.perRun ?? TRIAL_SIZE);
  return { ...integration, schedule: null, networks: [], budget: { ...budget, perRun } };
}
