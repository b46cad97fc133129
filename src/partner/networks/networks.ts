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
 * The team's networks (service document, section 4.1). `PartnerNotFound` means that the network, the donor or the job
 * does not exist. The service does not report which of them is missing.
 */
export interface Networks {
  /** Returns all networks of the team. Costs no credits. */
  list(signal?: AbortSignal): Promise<Network[]>;
  /**
   * Creates a network, or adopts an existing network with exactly that name. A colour that the service does not have is
   * replaced with an available colour. Costs no credits.
   */
  create(name: string, color: string, signal?: AbortSignal): Promise<CreatedNetwork>;
  /** Costs no credits. Throws `PartnerBadRequest` if a different network has the name. */
  rename(networkId: string, name: string, signal?: AbortSignal): Promise<void>;
  /**
   * The document has no such endpoint. Unless the service's openapi.json lists it, nothing is sent and
   * `PartnerEndpointMissing` is thrown. Throws `PartnerNotFound` even if an earlier attempt with a lost response has
   * deleted the network. Costs no credits.
   */
  delete(networkId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves some seconds later, when its connections are computed. It may cost a credit, because the cost is not
   * documented. After `AnswerLost`, the donor may be a member.
   */
  addMember(
    networkId: string,
    donorId: string,
    signal?: AbortSignal,
    mayLeave?: MayLeave,
  ): Promise<void>;
  /**
   * Starts a job that adds 1 to 100 donors. Each donor costs a credit from the networks bucket. Starting at the first
   * donor, the service processes the number of donors that the balance covers. Throws `CreditsExhausted` if it covers
   * none. After `AnswerLost`, the job may be running and its credits may have been spent. `mayLeave` is called before
   * each attempt.
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
   * Polls a bulk add every three seconds until it ends, and returns an outcome for each of its donors. A donor that the
   * job does not name is looked up with a query, which may cost the same as other queries. Throws `BulkAddUnfinished`
   * after half an hour. A job can be followed again, even by a different process.
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
  /** Resolves once the service's description has been requested. */
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
