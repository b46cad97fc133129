import { RetriableError } from '../core/errors.ts';
import { PartnerEndpointMissing } from './errors.ts';
import { type Operation, withSlashes } from './routes.ts';
import type { Send } from './send.ts';

/** The areas whose health checks the document names (section 4.4). */
const AREAS = ['donors', 'search'] as const;

/** How one area of the service is; `unknown` if it has no health check. */
export interface AreaHealth {
  area: (typeof AREAS)[number];
  state: 'healthy' | 'unhealthy' | 'unknown';
}

export const TEST: Operation = statusOnly('key test', '/test');
const HEALTH_CHECKS = AREAS.map((area) => ({
  area,
  check: statusOnly(`health of ${area}`, `/${area}/health`),
}));

/** Resolves if the key is recognized and its team is active; rejects with what is wrong. Free. */
export async function testKey(send: Send, signal?: AbortSignal): Promise<void> {
  await send(TEST, {}, signal);
}

/** The health of each area. Rejects for what is no matter of health, such as a bad key. Free. */
export function readHealth(send: Send, signal?: AbortSignal): Promise<AreaHealth[]> {
  return Promise.all(
    HEALTH_CHECKS.map(async ({ area, check }) => ({
      area,
      state: await stateOf(send, check, signal),
    })),
  );
}

async function stateOf(send: Send, check: Operation, signal: AbortSignal | undefined) {
  try {
    await send(check, {}, signal);
    return 'healthy';
  } catch (error) {
    if (error instanceof PartnerEndpointMissing) return 'unknown';
    if (error instanceof RetriableError) return 'unhealthy';
    throw error;
  }
}

/** The bodies of these are not documented; their status says it all. */
function statusOnly(name: string, path: string): Operation {
  const routes = withSlashes([{ method: 'GET', path }]);
  return { name, lane: 'other', charging: false, readsBody: false, namesThings: false, routes };
}
