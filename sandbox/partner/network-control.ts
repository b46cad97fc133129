/** Lists the members of networks, because the service has no endpoint for this. */

import { Hono } from 'hono';
import type { NetworkService } from '../../service/networks/service.ts';

/** The route `GET /_sandbox/networks`. The route returns the networks of all teams with the IDs of their members. */
export function networkControlRoutes(service: NetworkService): Hono {
  const { world, networks, members } = service;
  const router = new Hono();
  router.get('/', (c) =>
    c.json({
      networks: networks.all().map(({ number, ...network }) => ({
        ...network,
        member_ids: members.list(number).map((donor) => world.donor(donor).id),
      })),
    }),
  );
  return router;
}
