import { RetriableError } from '../core/errors.ts';
import { PartnerEndpointMissing } from './errors.ts';
import { type Operation, operation, type Routes } from './routes.ts';
import type { Send } from './send.ts';

/** The areas with a documented health check (section 4.4). donor-sync always checks these areas. */
const NAMED_AREAS = ['donors', 'search'] as const;

/** Further areas. donor-sync checks an area if the service's openapi.json lists a health check for it. */
const OTHER_AREAS = ['enhancements', 'exports', 'lists', 'networks'] as const;

type Area = (typeof NAMED_AREAS | typeof OTHER_AREAS)[number];

/** The health of an area. `unknown` if the area has no health check. */
export interface AreaHealth {
  area: Area;
  state: 'healthy' | 'unhealthy' | 'unknown';
}

export const TEST: Operation = statusOnly('key test', '/test');
const NAMED_CHECKS = NAMED_AREAS.map(createCheck);
const OTHER_CHECKS = OTHER_AREAS.map(createCheck);

export const HEALTH_CHECKS: readonly Operation[] = [...NAMED_CHECKS, ...OTHER_CHECKS].map(
  ({ check }) => check,
);

/**
 * Resolves if the service knows the key and its team is active. If the key is unknown or the team is inactive, rejects
 * with the service's error. Costs no credits.
 */
export async function testKey(send: Send, signal?: AbortSignal): Promise<void> {
  await send(TEST, {}, signal);
}

/** Returns the health of each area. Rejects if an error is not about health, such as an invalid key. */
export function readHealth(
  send: Send,
  routes: Routes,
  signal?: AbortSignal,
): Promise<AreaHealth[]> {
  const listed = OTHER_CHECKS.filter(({ check }) => routes.known(check));
  return Promise.all(
    [...NAMED_CHECKS, ...listed].map(async ({ area, check }) => ({
      area,
      state: await readState(send, check, signal),
    })),
  );
}

async function readState(send: Send, check: Operation, signal: AbortSignal | undefined) {
  try {
    await send(check, {}, signal);
    return 'healthy';
  } catch (error) {
    if (error instanceof PartnerEndpointMissing) return 'unknown';
    if (error instanceof RetriableError) return 'unhealthy';
    throw error;
  }
}

function createCheck(area: Area) {
  return { area, check: statusOnly(`health of ${area}`, `/${area}/health`) };
}

/** Creates an operation for which only the response's status is used, because the body is not documented. */
function statusOnly(name: string, path: string): Operation {
  const kind = { charges: null, lane: 'other', reads: 'nothing', namesThings: false } as const;
  return operation(name, kind, [{ method: 'GET', path }]);
}
