/**
 * The routes /v1/integrations/{integration}/networks. The routes also show the contacts whom network members can
 * introduce.
 */
import {
  checkNetworks,
  listNetworks,
  repairNetworks,
  showIntroductions,
} from '../../operations/networks.ts';
import { findProspects, showPaths } from '../../operations/paths.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

export function networkRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const tag = 'Networks';
  const one = '/v1/integrations/{integration}';
  add(listNetworks, { tag, method: 'get', path: `${one}/networks` });
  add(showIntroductions, { tag, method: 'get', path: `${one}/network` });
  // The route is never a GET, because another site's link could send a GET.
  add(checkNetworks, { tag, method: 'post', path: `${one}/networks/check` });
  add(repairNetworks, { tag, method: 'post', path: `${one}/networks/repair` });
  add(findProspects, { tag, method: 'post', path: `${one}/prospects` });
  add(showPaths, { tag, method: 'post', path: `${one}/contacts/{contact}/paths` });
  return app;
}
