/** The user or program that requested an action, and how the request arrived. Every audit entry contains both. */
export interface Actor {
  /**
   * `command` is a user of this machine's command line. `token` and `session` arrive over HTTP, from an access token or
   * a browser that signed in with one. `local` is the first visit or the demo's user. `consent` is a browser that
   * returns from a CRM. `door` is a CRM that acts for a linked user or for itself. `webhook` and `schedule` have no
   * user. `product` is donor-sync itself. It is also the actor of entries in which an earlier version recorded no actor.
   */
  kind: ActorKind;
  name: string | null;
  /** The machine of a command, or the address of a caller. */
  from: string | null;
}

export const ACTOR_KINDS = [
  'command',
  'token',
  'session',
  'local',
  'consent',
  'door',
  'webhook',
  'schedule',
  'product',
] as const;

export type ActorKind = (typeof ACTOR_KINDS)[number];

/** The actor for automatic actions of donor-sync, such as a purge. */
export const PRODUCT: Actor = { kind: 'product', name: null, from: null };
