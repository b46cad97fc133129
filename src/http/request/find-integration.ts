import type { Application } from '../../application.ts';
import type { Integration } from '../../core/integration.ts';
import { HttpError } from './http-error.ts';

/** The integration with this id; throws an HttpError (404) if there is none. */
export function findIntegration(
  { integrations }: Pick<Application, 'integrations'>,
  id: string,
): Integration {
  const integration = integrations.get(id);
  if (integration) return integration;
  throw new HttpError(404, 'integration_unknown', `There is no integration "${id}".`);
}
