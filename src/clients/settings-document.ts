/**
 * Checks settings that a caller sends in a document. These settings are checked like settings in a file, but fewer
 * settings are allowed.
 */
import { findConnectorDefinition, findRemoteCrm, REMOTE_CRMS } from '../../connectors/index.ts';
import { ConfigurationError, isConfigurationError } from '../core/errors.ts';
import { type Integration, integrationSchema } from '../core/integration-settings.ts';
import { personNeeded, reachInsufficient } from '../core/shared-errors.ts';
import { isSameOrigin } from '../outbound/address.ts';
import type { SetupEnvironment } from '../settings/environment.ts';
import { valueAt } from '../settings/expectation.ts';
import type { Problem } from '../settings/problem.ts';
import { parseSettings, type Settings } from '../settings/settings.ts';
import { setInFile } from './apply-settings.ts';
import type { ClientGuard } from './client-guard.ts';
import { requirePlainText } from './setup/address.ts';

/** Checks the document. The sender's rights limit the settings that the document can change. */
export async function checkDocument(
  documents: readonly unknown[],
  { path, allowInsecureHttp }: { path: string; allowInsecureHttp: readonly string[] },
): Promise<Integration[]> {
  // JSON is also valid YAML.
  const text = JSON.stringify({ integrations: documents }).replaceAll('${', '$$${');
  const options = { path, env: {}, cwd: '/', allowInsecureHttp, findConnectorDefinition };
  return (await parseSettings(text, options)).integrations;
}

/** A caller that sends settings over HTTP. */
export interface RemoteCaller {
  isToken: boolean;
  /** The IDs of the clients that the caller may access, or null for all clients. */
  clients: ReadonlySet<string> | null;
}

interface RemoteDeps {
  /** The parts of the operator's environment that set-ups use. */
  setup: Pick<SetupEnvironment, 'serviceUrl'>;
  settings: Pick<Settings, 'integrations' | 'allowInsecureHttp' | 'setup'>;
  guard: Pick<ClientGuard, 'requirePublic'>;
}

/**
 * Reads the clients in a document that was received over HTTP. A remote caller may change fewer settings than the
 * operator of the machine. Variables, files, packages and hosts in a private network are not allowed. An access token
 * cannot change the host either. Throws a ConfigurationError that lists every problem, and stores nothing. `before`
 * contains the stored clients.
 */
export async function readRemote(
  deps: RemoteDeps,
  caller: RemoteCaller,
  documents: readonly unknown[],
  before: ReadonlyMap<string, Integration>,
): Promise<Integration[]> {
  for (const document of documents) {
    const id = valueAt(document, ['id']);
    if (typeof id !== 'string') continue;
    if (caller.clients !== null && !caller.clients.has(id)) throw withoutAccess(id);
    if (deps.settings.integrations.some((one) => one.id === id)) throw setInFile({ id });
    requireTexts(document, `"${id}"`);
    // Checks the kind of CRM first, because it may name a package, which would be loaded.
    requireKnownKind(id, valueAt(document, ['crm', 'kind']), before.get(id));
  }
  const { allowInsecureHttp } = deps.settings;
  const integrations = await checkSent(documents, allowInsecureHttp);
  const limited: Integration[] = [];
  for (const integration of integrations) {
    limited.push(await limitAddresses(deps, caller, before.get(integration.id), integration));
  }
  return limited;
}

/** Checks the settings, and describes each problem with the path of its setting. */
async function checkSent(
  documents: readonly unknown[],
  allowInsecureHttp: readonly string[],
): Promise<Integration[]> {
  try {
    return await checkDocument(documents, { path: 'the document', allowInsecureHttp });
  } catch (error) {
    const problems = isConfigurationError(error) ? error.details['problems'] : undefined;
    if (!Array.isArray(problems)) throw error;
    const texts = problems.map(({ path, message }: Problem) => `${path}: ${message}`);
    throw new ConfigurationError(
      `The settings are not valid. Nothing was saved. ${texts.join('; ')}`,
      { code: 'settings_invalid', cause: error },
    );
  }
}

function requireTexts(value: unknown, path: string): void {
  if (typeof value === 'string') requirePlainText(path, value);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) requireTexts(part, `${path}.${key}`);
}

function requireKnownKind(id: string, kind: unknown, before: Integration | undefined): void {
  // A CRM on the network needs no file. Only the operator can choose a connector package.
  const isRemote = findRemoteCrm(kind) !== undefined;
  if (typeof kind !== 'string' || isRemote || kind === before?.crm.kind) return;
  throw ofOperator(id, 'crm.kind');
}

/** The settings that contain the files of a CSV client. */
const FILES = ['path', 'output'];

/** The settings of a connector package for which the set-up asks. */
const ASKED = ['kind', 'url', 'auth'];

/** Returns the settings that only an operator may set, because they may refer to files on this machine. */
function listOperatorParts(
  crm: Integration['crm'],
  before: Integration['crm'] | undefined,
): readonly string[] {
  if (crm.kind === 'csv') return FILES;
  if (REMOTE_CRMS.some(({ kind }) => kind === crm.kind)) return [];
  const all = Object.keys({ ...crm, ...before });
  return findRemoteCrm(crm.kind) === undefined ? all : all.filter((part) => !ASKED.includes(part));
}

async function limitAddresses(
  deps: RemoteDeps,
  { isToken }: RemoteCaller,
  before: Integration | undefined,
  integration: Integration,
): Promise<Integration> {
  const { id, crm } = integration;
  const wasCrm = before?.crm.kind === crm.kind ? before.crm : undefined;
  const parts = listOperatorParts(crm, wasCrm);
  if (parts.length > 0) {
    const changed = parts.find((part) => toText(crm[part]) !== toText(wasCrm?.[part]));
    if (changed !== undefined) throw ofOperator(id, `crm.${changed}`);
  }
  const was = listAddresses({ ...before });
  const now = listAddresses(integration);
  const paths = [...new Set([...was.keys(), ...now.keys()])];
  const changed = paths.filter((path) => !isSame(now.get(path), was.get(path)));
  if (before !== undefined && wasCrm === undefined) changed.push('crm.kind');
  for (const path of changed) {
    const url = now.get(path);
    const isKnown = before === undefined && url !== undefined && isNamedForAll(deps, url);
    if (isToken && !isKnown) throw ofPerson(id, path);
    if (url !== undefined) await deps.guard.requirePublic(url);
  }
  const wasFree = before !== undefined && before.addresses === undefined && changed.length === 0;
  return wasFree ? integration : integrationSchema.parse({ ...integration, addresses: 'public' });
}

/** True if the operator allows this address for new clients. */
function isNamedForAll({ setup, settings }: RemoteDeps, url: string): boolean {
  const { service, apps } = settings.setup;
  const named = [service, setup.serviceUrl, ...Object.values(apps).map((app) => app?.url)];
  return named.some((one) => isSame(url, one ?? undefined));
}

function isSame(url: string | undefined, other: string | undefined): boolean {
  return url !== undefined && other !== undefined && isSameOrigin(url, other);
}

const NAMES_HOSTS = /hosts?$/i;

function listAddresses(value: unknown, path: readonly string[] = []): Map<string, string> {
  if (typeof value === 'string') {
    const address = path.some((key) => NAMES_HOSTS.test(key)) ? `https://${value}` : value;
    const isAddress = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
    return new Map(isAddress ? [[path.join('.'), address]] : []);
  }
  if (typeof value !== 'object' || value === null) return new Map();
  const parts = Object.entries(value);
  return new Map(parts.flatMap(([key, part]) => [...listAddresses(part, [...path, key])]));
}

function toText(value: unknown): string | undefined {
  return JSON.stringify(value);
}

function withoutAccess(id: string): ConfigurationError {
  return reachInsufficient(
    `You do not have access to a client "${id}", and only callers with access to all clients can create new clients.`,
    { integration: id },
  );
}

function ofPerson(id: string, setting: string): ConfigurationError {
  return personNeeded(`set another host (${setting} of "${id}")`, 'apply FILE', {
    integration: id,
    setting,
  });
}

function ofOperator(id: string, setting: string): ConfigurationError {
  return new ConfigurationError(
    `${setting} of "${id}" names a package or a file on the machine, so it can be set only on that machine. Nothing was saved. Ask the operator to run: donor-sync apply FILE`,
    { code: 'operator_needed', refusal: 'forbidden', details: { integration: id, setting } },
  );
}
