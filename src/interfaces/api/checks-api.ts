/** Checks the fields of a client's CRM, and runs the doctor. */
import { checkClients } from '../../operations/doctor/all-clients.ts';
import { examineClient } from '../../operations/doctor/doctor.ts';
import { checkInstallation } from '../../operations/doctor/installation.ts';
import { checkFields, createMissingFields, getFieldSource } from '../../operations/fields.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

/** Returns the routes that run checks. */
export function checkRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const tag = 'Checks';
  const one = '/v1/integrations/{integration}';
  add(checkFields, { tag, method: 'get', path: `${one}/fields` });
  add(createMissingFields, { tag, method: 'post', path: `${one}/fields` });
  add(getFieldSource, { tag, method: 'get', path: `${one}/fields/source` });
  add(checkClients, { tag, method: 'post', path: '/v1/clients/check' });
  add(checkInstallation, { tag, method: 'post', path: '/v1/doctor' });
  add(examineClient, { tag, method: 'post', path: `${one}/doctor` });
  return app;
}
