import { stat } from 'node:fs/promises';
import type { Connector, Finding } from '../../../../connectors/contract.ts';
import type { OpenIntegration } from '../../../application.ts';
import { readRuntimeOptions } from '../../../config/environment.ts';
import type { Settings } from '../../../config.ts';
import {
  isConfigurationError,
  isDonorSyncError,
  messageOf,
  wordsOf,
} from '../../../core/errors.ts';
import type { FieldMapping } from '../../../core/field-map.ts';
import { ownerWords } from '../../../core/owner.ts';
import { clockProblem } from '../../../credits/confirm.ts';
import { readFields } from '../../../fields/describe.ts';
import { findRunning } from '../../../views/run.ts';
import type { ProductDeps } from '../../action/product.ts';
import { countOf, formatCount, formatMoment } from '../../terminal/words.ts';

/** One prerequisite as `doctor --json` shows it; a fix beside `ok: true` is advice. */
export interface DoctorFinding extends Finding {
  /** Null if it is about the whole installation. */
  integration: string | null;
}

/** A prerequisite that is met. */
export function met(subject: string, message: string, advice: string | null = null): Finding {
  return { subject, ok: true, message, fix: advice };
}

/** One that is not, with what to do about it. */
export function unmet(subject: string, message: string, fix: string): Finding {
  return { subject, ok: false, message, fix };
}

/** The findings of a check; one that throws is a finding itself, and the others go on. */
export async function checked(
  subject: string,
  fix: string,
  check: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    const words = wordsOf(error);
    const finding = unmet(subject, messageOf(error), fix);
    return [words === null ? finding : { ...finding, words }];
  }
}

/** The most that all questions to the service may take together: a person is waiting. */
const PATIENCE_MS = 20_000;

type Partner = OpenIntegration['partner'];

/** The Partner Data Service: within reach, key accepted, credits, what it says about itself. Free. */
export async function checkPartner({ partner }: { partner: Partner }): Promise<Finding[]> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const key = await checkKey(partner, signal);
  // Without a key that works, every other answer would only repeat it.
  if (key.some(({ ok }) => !ok)) return key;
  const fix = 'Try again later, or ask the service operator.';
  return [
    ...key,
    ...checkClock(partner),
    ...(await checked('credits', fix, () => checkCredits(partner, signal))),
    ...(await checked('service description', fix, () => checkDescription(partner, signal))),
    ...(await checked('service health', fix, () => checkHealth(partner, signal))),
  ];
}

async function checkKey(partner: Partner, signal: AbortSignal): Promise<Finding[]> {
  try {
    await partner.test(signal);
    return [met('partner key', 'The Partner Data Service accepts the API key.')];
  } catch (error) {
    if (signal.aborted) return [unmet('partner', NO_ANSWER, CHECK_NETWORK)];
    const isKey = isConfigurationError(error) && error.code.startsWith('partner_key');
    return [
      isKey
        ? unmet('partner key', messageOf(error), 'Put a working key where partner.apiKey is set.')
        : unmet('partner', messageOf(error), CHECK_NETWORK),
    ];
  }
}

const NO_ANSWER = `The Partner Data Service did not answer within ${PATIENCE_MS / 1_000} seconds.`;
const CHECK_NETWORK = 'Check partner.baseUrl, the network and any proxy in between.';

/** By the answer to the look at the key. Nothing is said of a clock that is right. */
function checkClock(partner: Partner): Finding[] {
  const problem = clockProblem(partner.clockAheadMs());
  return problem === null ? [] : [unmet('clock', problem.message, 'Set the clock by NTP.')];
}

async function checkCredits(partner: Partner, signal: AbortSignal): Promise<Finding[]> {
  const credits = await partner.readCredits(signal);
  const message = `${formatCount(credits.enhancements)} credits for enhancements, ${formatCount(credits.networks)} for networks.`;
  return [
    credits.enhancements > 0
      ? met('credits', message)
      : unmet('credits', message, 'Buy credits for the enhancements bucket.'),
  ];
}

async function checkDescription(partner: Partner, signal: AbortSignal): Promise<Finding[]> {
  const { published, findings } = await partner.discover(signal);
  const source = published
    ? met('service description', 'The service publishes what it can do, and that is used.')
    : met('service description', 'The service publishes no description; known forms are tried.');
  const assumed = findings.filter((finding) => finding.source === 'assumed');
  const remarks = assumed.map(({ subject, value }) => met(subject, `Assumed: ${value}.`));
  return [source, ...(published ? remarks : [])];
}

async function checkHealth(partner: Partner, signal: AbortSignal): Promise<Finding[]> {
  const areas = await partner.health(signal);
  const sick = areas.filter(({ state }) => state === 'unhealthy');
  const namesOf = (wanted: 'healthy' | 'unknown') =>
    areas.flatMap(({ area, state }) => (state === wanted ? [area] : [])).join(', ');
  const [healthy, unknown] = [namesOf('healthy'), namesOf('unknown')];
  return [
    ...(healthy === '' ? [] : [met('service health', `Healthy: ${healthy}.`)]),
    ...(unknown === '' ? [] : [met('service health', `The service does not say: ${unknown}.`)]),
    ...sick.map(({ area }) =>
      unmet(`health of ${area}`, `The service calls "${area}" unhealthy.`, 'Try again later.'),
    ),
  ];
}

const FOLLOW_MESSAGE = 'Do what the message says, then run doctor again.';

/** The CRM: what the connector itself checks, the account, the field map, and the limits. */
export async function checkCrm(open: OpenIntegration): Promise<Finding[]> {
  const own = await checked('CRM', FOLLOW_MESSAGE, () => open.checkCrm());
  const isWell = own.every(({ ok }) => ok);
  const opened: Connector[] = [];
  const account = await checked('CRM account', FOLLOW_MESSAGE, () => checkAccount(open, opened));
  const [connector] = opened;
  if (connector === undefined) {
    const isOther = account.some(({ fix }) => fix === OTHER_ACCOUNT);
    // Why else the CRM cannot be opened, the connector's own findings have said better.
    return isWell || isOther ? [...own, ...account] : own;
  }
  const { integration, mappings } = open;
  const fields = await checked('field map', FOLLOW_MESSAGE, () =>
    checkFields(connector, integration.id, mappings),
  );
  const limits = await checked('CRM limits', FOLLOW_MESSAGE, () => checkLimits(connector));
  // Where the connector itself reports the requests left, a second finding is not needed.
  const isReported = own.some(({ subject }) => subject === 'daily requests');
  return [...own, ...account, ...fields, ...limits.filter(({ ok }) => !(ok && isReported))];
}

const OTHER_ACCOUNT = 'Give the new account an integration with an id of its own.';

/** Puts the open connector among `opened`, if the CRM opens and is the account of the integration. */
async function checkAccount({ deps }: OpenIntegration, opened: Connector[]): Promise<Finding[]> {
  try {
    const connector = await deps.openConnector(null);
    opened.push(connector);
    return [met('CRM account', `The integration leads to "${connector.account.name}".`)];
  } catch (error) {
    if (!isDonorSyncError(error) || error.code !== 'crm_account_changed') throw error;
    return [unmet('CRM account', error.message, OTHER_ACCOUNT)];
  }
}

async function checkFields(
  connector: Connector,
  integrationId: string,
  mappings: readonly FieldMapping[],
): Promise<Finding[]> {
  const { findings, optional, toCreate } = await readFields(connector, mappings);
  const columns = toCreate.map(({ name }) => name).join(', ');
  const more = columns === '' ? '' : ` The first sync adds the columns ${columns}.`;
  if (findings.length === 0) {
    const written = met(
      'field map',
      `All ${countOf(mappings.length - optional.length, 'field')} can be written.${more}`,
    );
    const status = optional.map(({ field, message, fix }) => ({
      ...{ subject: `field ${field}`, ok: true },
      message: `${message} All else is written without it.`,
      fix,
    }));
    return [written, ...status, ...(await checkViewers(connector, integrationId, mappings))];
  }
  return findings.map(({ field, message, fix }) => unmet(`field ${field}`, message, fix));
}

/** Values that no person can see are of no use, however well they are written. */
async function checkViewers(
  connector: Connector,
  integrationId: string,
  mappings: readonly FieldMapping[],
): Promise<Finding[]> {
  const people = await connector.countViewers?.(mappings.map(({ to }) => to));
  if (people === undefined) return [];
  if (people > 0) return [met('field viewers', 'People can see the fields in the CRM.')];
  return [
    unmet(
      'field viewers',
      'No user besides the one of the integration can see the fields in the CRM.',
      `donor-sync fields create ${integrationId} --assign-viewers "System Administrator" (or another profile), or assign the permission set “donor-sync viewers” to people in the CRM.`,
    ),
  ];
}

/** Below this part of the day's requests a run may not come to its end. */
const FEW_REQUESTS = 0.1;

async function checkLimits(connector: Connector): Promise<Finding[]> {
  const limits = await connector.readLimits();
  if (limits === null) return [];
  const { max, remaining } = limits.daily;
  const message = `${formatCount(remaining)} of ${formatCount(max)} requests are left for today.`;
  const fix = 'Wait until tomorrow, or find out which other tool uses so many.';
  return [
    remaining > max * FEW_REQUESTS ? met('CRM limits', message) : unmet('CRM limits', message, fix),
  ];
}

/** What the store says of an integration: who is at work, what is unsettled, what waits. */
export function checkState(
  deps: Pick<ProductDeps, 'clock' | 'owner'>,
  open: OpenIntegration,
): Promise<Finding[]> {
  return checked('state', 'Look at the message; the database may be damaged.', async () => [
    await checkLease(deps, open),
    ...(await checkSubmission(open)),
    await checkHolds(open),
  ]);
}

async function checkLease(
  deps: Pick<ProductDeps, 'clock' | 'owner'>,
  { deps: { store }, integration }: OpenIntegration,
): Promise<Finding> {
  const running = await findRunning(deps, store, integration.id);
  if (running === null) return met('runs', 'Nothing is running.');
  const since = running.since === null ? '' : ` since ${formatMoment(running.since)}`;
  return met('runs', `${ownerWords(running.owner)} is at work${since}.`);
}

async function checkSubmission({
  deps: { store },
  partnerKey,
}: OpenIntegration): Promise<Finding[]> {
  const open = await store.submissions.findOpen(partnerKey);
  if (!open) return [];
  const message = `A submission of ${countOf(open.persons, 'person', 'persons')} from ${formatMoment(open.intendedAt)} has no answer yet.`;
  return [met('submissions', message, 'The next sync settles it by the balance.')];
}

async function checkHolds({ deps: { store }, integration }: OpenIntegration): Promise<Finding> {
  const { length } = await store.holds.listOpen(integration.id);
  if (length === 0) return met('holds', 'Nothing waits for a person.');
  return met('holds', `${countOf(length, 'contact')} held for a person.`, 'donor-sync holds');
}

/** The permission bits of everybody but the owner. */
const OTHERS = 0o077;

/** Where the key comes from, and that no other user of the machine can read its file. */
export async function checkSecretKey(
  { env, stderr }: ProductDeps,
  { database }: Settings,
): Promise<Finding> {
  const { secretKey } = readRuntimeOptions(env, stderr.isTTY === true);
  if (secretKey !== null) return met('secret key', 'The key comes from DONOR_SYNC_SECRET_KEY.');
  const file = `${database.replace(/^sqlite:/, '')}.key`;
  const mode = await modeOf(file);
  if (mode !== null && (mode & OTHERS) !== 0) {
    return unmet(
      'secret key',
      `Other users of this machine can open the key file ${file} (mode ${mode.toString(8)}).`,
      `chmod 600 ${file}`,
    );
  }
  return met(
    'secret key',
    `The key is in ${file}, beside the database that it protects.`,
    'A copy of the folder has both. Put the key into DONOR_SYNC_SECRET_KEY and remove the file.',
  );
}

/** The permissions of a file; null where there is none, or where the system has no such bits. */
async function modeOf(file: string): Promise<number | null> {
  if (process.platform === 'win32') return null;
  const found = await stat(file).catch(() => null);
  return found && found.mode & 0o777;
}
