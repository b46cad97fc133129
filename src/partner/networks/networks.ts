import type { MayLeave } from '../request.ts';
import type { Routes } from '../routes.ts';
import {
  addMember,
  addMembers,
  type BulkAdd,
  type BulkAddJob,
  type FollowDeps,
  followBulkAdd,
  type MemberOutcome,
  readBulkAdd,
  removeMembers,
} from './members.ts';
import {
  type CreatedNetwork,
  createNetwork,
  deleteNetwork,
  listNetworks,
  type Network,
  renameNetwork,
} from './network.ts';

/**
 * Manages the team's networks (service document, section 4.1). `PartnerNotFound` means that the network, the donor or
 * the job does not exist. The service does not report which of the three is missing.
 */
export interface Networks {
  /** Returns all networks of the team. Costs no credits. */
  list(signal?: AbortSignal): Promise<Network[]>;
  /**
   * Creates a network, or adopts an existing network with exactly this name. If the service does not have the colour,
   * uses an available colour. Costs no credits.
   */
  create(name: string, color: string, signal?: AbortSignal): Promise<CreatedNetwork>;
  /** Renames a network. Costs no credits. Throws `PartnerBadRequest` if a different network has this name. */
  rename(networkId: string, name: string, signal?: AbortSignal): Promise<void>;
  /**
   * Deletes a network. The document has no such endpoint. Unless the service's openapi.json lists the endpoint, sends
   * nothing and throws `PartnerEndpointMissing`. Throws `PartnerNotFound` even if an earlier attempt with a lost
   * response has deleted the network. Costs no credits.
   */
  delete(networkId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Adds a member. Resolves some seconds later, when the service has computed the member's connections. May cost a
   * credit, because the cost is not documented. After `AnswerLost`, the donor may be a member.
   */
  addMember(
    networkId: string,
    donorId: string,
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<void>;
  /**
   * Starts a job that adds 1 to 100 donors. Each added donor costs a credit from the networks bucket. If the balance is
   * too low, the service processes only the first donors. Throws `CreditsExhausted` if the balance covers no donor.
   * After `AnswerLost`, the job may be running and its credits may have been spent. `mayLeave` is called before each
   * attempt.
   */
  addMembers(
    networkId: string,
    donorIds: readonly string[],
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<BulkAddJob>;
  /** Reads the state of a bulk add once. Costs no credits. */
  readBulkAdd(jobId: string, signal?: AbortSignal): Promise<BulkAdd>;
  /**
   * Polls a bulk add every three seconds until it ends, and returns a result for each donor. If the job does not name a
   * donor, a query finds the donor's networks. This query may cost the same as other queries. Throws
   * `BulkAddUnfinished` after half an hour. Any process can follow the job again.
   */
  followBulkAdd(job: BulkAddJob, signal?: AbortSignal): Promise<Map<string, MemberOutcome>>;
  /** Removes 1 to 100 donors. Free. `mayLeave` is called before each attempt. */
  removeMembers(
    networkId: string,
    donorIds: readonly string[],
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<void>;
}

export interface NetworksDeps extends FollowDeps {
  routes: Routes;
  /** Resolves once donor-sync has requested the service's description. */
  described(signal?: AbortSignal): Promise<void>;
}

export function createNetworks(deps: NetworksDeps): Networks {
  const { send, routes } = deps;
  return {
    list: (signal) => listNetworks(send, signal),
    create: (name, color, signal) => createNetwork(send, routes, name, color, signal),
    rename: (networkId, name, signal) => renameNetwork(send, networkId, name, signal),
    async delete(networkId, signal) {
      await deps.described(signal);
      await deleteNetwork(send, routes, networkId, signal);
    },
    addMember: (networkId, donorId, signal, mayLeave) =>
      addMember(send, networkId, donorId, signal, mayLeave),
    addMembers: (networkId, donorIds, signal, mayLeave) =>
      addMembers(send, networkId, donorIds, signal, mayLeave),
    readBulkAdd: (jobId, signal) => readBulkAdd(send, jobId, signal),
    followBulkAdd: (job, signal) => followBulkAdd(deps, job, signal),
    removeMembers: (networkId, donorIds, signal, mayLeave) =>
      removeMembers(send, networkId, donorIds, signal, mayLeave),
  };
}
