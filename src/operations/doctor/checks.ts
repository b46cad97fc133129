import type { Finding } from '../../../connectors/contract.ts';
import { failed, plain } from '../../../connectors/findings/findings.ts';
import type { Application, OpenIntegration } from '../../application.ts';
import { isConfigurationError, messageOf } from '../../core/errors.ts';
import { ownerWords } from '../../core/owner.ts';
import { describeCount, formatCount, formatTimestamp } from '../../core/quantities.ts';
import { clockProblem } from '../../credits/confirm.ts';
import { listOpenSubmissions } from '../../credits/statements/submissions.ts';
import { countOfOtherKeys } from '../../credits/statements/unseen-jobs.ts';
import { listOpenQuestions } from '../../decisions/statements/questions.ts';
import { describeProxies, readProxies } from '../../outbound/proxy.ts';
import { CAUSES } from './causes.ts';

/** Creates a finding about a requirement that is met. */
export function met(subject: string, message: string, advice: string | null = null): Finding {
  return { subject, ok: true, message, fix: advice };
}

/** Creates a finding about a problem. One action solves all problems with the same `cause`. */
export function unmet(subject: string, message: string, fix: string, cause?: string): Finding {
  const finding = { subject, ok: false, message, fix };
  return cause === undefined ? finding : { ...finding, cause };
}

/** Runs a check and converts an error into a finding, so that the other checks continue. */
export async function checked(
  subject: string,
  fix: string,
  check: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [failed(subject, fix, error)];
  }
}

/** The time limit for all requests together, because a user is waiting. */
const PATIENCE_MS = 20_000;

type Partner = OpenIntegration['partner'];

/**
 * Checks whether the service is reachable, the key and the credits. Also reads the description that the service
 * publishes. Costs no credits.
 */
export async function checkPartner({ partner }: { partner: Partner }): Promise<Finding[]> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const proxy = await checked('proxy', 'Correct the variable, or unset it.', () => checkProxies());
  // If the proxy settings are invalid, every request would fail.
  if (proxy.some(({ ok }) => !ok)) return proxy;
  const key = [...proxy, ...(await checkKey(partner, signal))];
  // If the key is invalid, every further request would fail in the same way.
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

/** Checks the proxies. Returns no findings if there are no proxies. */
export async function checkProxies(
  env?: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const proxies = readProxies(env);
  if (proxies === null) return [];
  return [
    met(
      'proxy',
      `donor-sync sends requests through ${describeProxies(proxies)}, except requests to this machine and to the hosts in NO_PROXY. The proxy resolves host names itself. donor-sync checks each address that a user sets in a browser, but it can't make sure that the request goes to a public IP address.`,
      'Configure the proxy to refuse connections to private networks.',
    ),
  ];
}

async function checkKey(partner: Partner, signal: AbortSignal): Promise<Finding[]> {
  try {
    await partner.test(signal);
    return [plain(met('partner key', 'The Partner Data Service accepts the service key.'))];
  } catch (error) {
    if (signal.aborted)
      return [plain(unmet('partner', NO_ANSWER, CHECK_NETWORK, 'partner_unavailable'))];
    const isKey = isConfigurationError(error) && error.code.startsWith('partner_key');
    return [
      isKey
        ? unmet('partner key', messageOf(error), 'Set partner.apiKey to a working key.', error.code)
        : { ...failed('partner', CHECK_NETWORK, error), fix: CHECK_NETWORK },
    ];
  }
}

const NO_ANSWER = `The Partner Data Service did not respond within ${PATIENCE_MS / 1_000} seconds.`;
const CHECK_NETWORK =
  'Check partner.baseUrl and the network. If there is a proxy, also check HTTPS_PROXY and NO_PROXY.';

/** Checks this machine's clock. Returns no findings if the clock is right. */
function checkClock(partner: Partner): Finding[] {
  const problem = clockProblem(partner.clockAheadMs());
  return problem === null
    ? []
    : [plain(unmet('clock', problem.message, 'Synchronise the clock with NTP.', 'clock_wrong'))];
}

async function checkCredits(partner: Partner, signal: AbortSignal): Promise<Finding[]> {
  const credits = await partner.readCredits(signal);
  const message = `${formatCount(credits.enhancements)} credits for enhancements, ${formatCount(credits.networks)} for networks.`;
  return [
    plain(
      credits.enhancements > 0
        ? met('credits', message)
        : unmet('credits', message, 'Buy credits for the enhancements bucket.', 'credits_used_up'),
    ),
  ];
}

async function checkDescription(partner: Partner, signal: AbortSignal): Promise<Finding[]> {
  const { published, findings } = await partner.discover(signal);
  const source = plain(
    published
      ? met('service description', "donor-sync uses the service's description of its capabilities.")
      : met(
          'service description',
          'The service does not publish a description of its capabilities, so donor-sync tries the known formats.',
        ),
  );
  const assumed = findings.filter((finding) => finding.source === 'assumed');
  const remarks = assumed.map(({ subject, value }) => met(subject, `Assumed: ${value}.`));
  return [source, ...(published ? remarks : [])];
}

async function checkHealth(partner: Partner, signal: AbortSignal): Promise<Finding[]> {
  const areas = await partner.health(signal);
  const sick = areas.filter(({ state }) => state === 'unhealthy');
  const joinNames = (wanted: 'healthy' | 'unknown') =>
    areas.flatMap(({ area, state }) => (state === wanted ? [area] : [])).join(', ');
  const [healthy, unknown] = [joinNames('healthy'), joinNames('unknown')];
  return [
    ...(healthy === '' ? [] : [met('service health', `Healthy: ${healthy}.`)]),
    ...(unknown === ''
      ? []
      : [met('service health', `The service does not report the state of: ${unknown}.`)]),
    ...sick.map(({ area }) =>
      unmet(`health of ${area}`, `The service reports "${area}" as unhealthy.`, 'Try again later.'),
    ),
  ];
}

/** Checks running processes, open submissions and open decisions. */
export function checkState(
  application: Pick<Application, 'findRunning'>,
  open: OpenIntegration,
): Promise<Finding[]> {
  return checked('state', 'Do what the message says. The database might be damaged.', async () => [
    await checkLease(application, open),
    ...(await checkSubmission(open)),
    ...(await checkFormerKeys(open)),
    await checkHolds(open),
  ]);
}

async function checkLease(
  { findRunning }: Pick<Application, 'findRunning'>,
  { integration }: OpenIntegration,
): Promise<Finding> {
  const running = await findRunning(integration.id);
  if (running === null) return plain(met('runs', 'Nothing is running.'));
  const since = running.since === null ? '' : ` since ${formatTimestamp(running.since)}`;
  return met('runs', `${ownerWords(running.owner)} has been running${since}.`);
}

async function checkSubmission({
  deps: { store },
  partnerKey,
}: OpenIntegration): Promise<Finding[]> {
  const open = await listOpenSubmissions(store.reader, partnerKey);
  return open.map(({ persons, intendedAt }) => {
    const message = `A submission of ${describeCount(persons, 'person', 'people')} from ${formatTimestamp(intendedAt)} has no response yet.`;
    return plain(
      met('submissions', message, 'The next sync uses the balance to find out what happened.'),
    );
  });
}

/**
 * Finds jobs that another key has paid for. The current key can access these jobs only if both keys belong to the same
 * team.
 */
async function checkFormerKeys({
  deps: { store },
  integration,
  partnerKey,
}: OpenIntegration): Promise<Finding[]> {
  const jobs = await countOfOtherKeys(store.reader, integration.id, partnerKey);
  if (jobs === 0) return [];
  const message = `${describeCount(jobs, 'job')} in progress ${jobs === 1 ? 'was' : 'were'} paid for with another service key.`;
  return [plain(met('former key', message, FORMER_KEY_ADVICE))];
}

const FORMER_KEY_ADVICE =
  'If both keys belong to the same team, the next sync delivers the profiles. If not, use the former key for one more sync. Nothing is bought again without a decision.';

async function checkHolds({ deps: { store }, integration }: OpenIntegration): Promise<Finding> {
  const { length } = await listOpenQuestions(store.reader, integration.id, 'contact');
  if (length === 0) return plain(met('holds', 'No contact is waiting for a decision.'));
  const held = met(
    'holds',
    `${describeCount(length, 'contact')} held for a decision.`,
    'donor-sync holds',
  );
  return { ...plain(held), cause: CAUSES.holds };
}
