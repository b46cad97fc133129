import type { Finding } from '../../../../connectors/contract.ts';
import type { OpenIntegration } from '../../../application.ts';
import { isConfigurationError, messageOf } from '../../../core/errors.ts';
import { clockProblem } from '../../../credits/confirm.ts';
import { formatCount } from '../../terminal/quantities.ts';
import { checked, met, unmet } from './finding.ts';

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
