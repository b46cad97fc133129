/** The endpoints that manage networks and their members (service document, section 4.1). */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { PartnerEnv } from '../context.ts';
import { createRouter } from '../router.ts';
import { findDonors } from './lookups.ts';
import {
  addMemberRoute,
  addMembersRoute,
  bulkJobRoute,
  createNetworkRoute,
  deleteNetworkRoute,
  listNetworksRoute,
  removeMembersRoute,
  renameNetworkRoute,
} from './network-api.ts';
import type { NetworkService } from './service.ts';

const NO_NETWORK = { detail: 'Network not found' };
const NO_JOB = { detail: 'Job not found' };

/**
 * Creates the endpoints that manage networks. The routes only document whether a request is charged, and the metering
 * middleware charges it.
 */
export function managementRoutes(
  service: NetworkService,
  isSingleAddCharged: boolean,
): OpenAPIHono<PartnerEnv> {
  const router = createRouter();
  addNetworkRoutes(router, service);
  addMemberRoutes(router, service, isSingleAddCharged);
  addBulkRoutes(router, service);
  return router;
}

function addNetworkRoutes(router: OpenAPIHono<PartnerEnv>, service: NetworkService): void {
  const { networks } = service;
  router.openapi(listNetworksRoute, (c) => c.json(networks.list(c.var.key.team), 200));
  router.openapi(createNetworkRoute, (c) => {
    const order = c.req.valid('json');
    const network = networks.create(c.var.key.team, order);
    return network === undefined ? c.json(nameTaken(order.name), 400) : c.json(network, 201);
  });
  router.openapi(renameNetworkRoute, (c) => {
    const { team } = c.var.key;
    const { name } = c.req.valid('json');
    const network = networks.find(team, c.req.valid('param').id);
    if (network === undefined) {
      return c.json(NO_NETWORK, 404);
    }
    return networks.rename(team, network, name) ? c.body(null, 204) : c.json(nameTaken(name), 400);
  });
  router.openapi(deleteNetworkRoute, async (c) => {
    const { team } = c.var.key;
    const network = networks.find(team, c.req.valid('param').id);
    if (network === undefined) {
      return c.json(NO_NETWORK, 404);
    }
    await deleteNetwork(service, team, network);
    return c.body(null, 204);
  });
}

function addMemberRoutes(
  router: OpenAPIHono<PartnerEnv>,
  service: NetworkService,
  isSingleAddCharged: boolean,
): void {
  const { db, world, networks, members } = service;
  router.openapi(addMemberRoute(isSingleAddCharged), (c) => {
    const { team } = c.var.key;
    const network = networks.find(team, c.req.valid('param').network_id);
    const donor = world.donorNumber(c.req.valid('json').donor_id);
    if (network === undefined) {
      return c.json(NO_NETWORK, 404);
    }
    if (donor === null) {
      return c.json({ detail: 'Donor not found' }, 404);
    }
    db.transaction(() => {
      members.add(team, network, donor);
      c.var.settle();
    }).immediate();
    return c.body(null, 204);
  });
  router.openapi(removeMembersRoute, async (c) => {
    const { team } = c.var.key;
    const network = networks.find(team, c.req.valid('param').id);
    if (network === undefined) {
      return c.json(NO_NETWORK, 404);
    }
    const donors = await findDonors(world, c.req.valid('json').donor_ids);
    if ('detail' in donors) {
      return c.json(donors, 404);
    }
    await removeMembers(service, team, network, donors.numbers);
    return c.body(null, 204);
  });
}

function addBulkRoutes(router: OpenAPIHono<PartnerEnv>, service: NetworkService): void {
  const { db, networks, jobs, worker } = service;
  router.openapi(addMembersRoute, (c) => {
    const { team } = c.var.key;
    const networkId = c.req.valid('param').network_id;
    if (networks.find(team, networkId) === undefined) {
      return c.json(NO_NETWORK, 404);
    }
    const { fault, charged } = c.var;
    const paid = fault?.kind === 'processFewer' ? Math.min(charged, fault.processed) : charged;
    const order = {
      team,
      networkId,
      donorIds: c.req.valid('json').donor_ids,
      paid,
      hangs: fault?.kind === 'jobsNeverEnd',
      failsAfter: fault?.kind === 'networkJobFails' ? fault.afterMembers : null,
      failsEvery: fault?.kind === 'networkMembersFail' ? fault.every : null,
    };
    const add = db.transaction(() => {
      c.var.settle(paid);
      return jobs.add(order);
    });
    const jobId = add.immediate();
    worker.wake();
    return c.json({ job_id: jobId }, 202);
  });
  router.openapi(bulkJobRoute, async (c) => {
    const { fault, key } = c.var;
    await worker.catchUp();
    const job = jobs.find(key.team, c.req.valid('param').job_id);
    if (job === undefined || fault?.kind === 'jobsVanish') {
      return c.json(NO_JOB, 404);
    }
    return c.json(fault?.kind === 'jobState' ? { ...job, status: fault.state } : job, 200);
  });
}

function nameTaken(name: string) {
  return { detail: `A network named "${name}" exists already` };
}

async function deleteNetwork(service: NetworkService, team: string, network: number) {
  await removeMembers(service, team, network, service.members.list(network));
  // Donors may have become members while the function was pausing. From here to the end of the function, no donor can
  // become a member.
  for (const donor of service.members.list(network)) {
    service.members.remove(team, network, donor);
  }
  service.networks.remove(network);
}

/** A member may have thousands of connections to delete, so the work pauses to let other requests run. */
async function removeMembers(
  { members }: NetworkService,
  team: string,
  network: number,
  donors: readonly number[],
): Promise<void> {
  for (const donor of donors) {
    members.remove(team, network, donor);
    await nextTurn();
  }
}
