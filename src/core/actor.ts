/** The requester of an action, and the way it was requested. The audit records both with each change. */
export interface Actor {
  /**
   * The kind of actor. `command`: a user of the machine, on the command line. `token`, `session`: over HTTP, with an
   * access token or with a browser that signed in with one. `local`: the first visit, or the user of the demo's
   * machine. `consent`: a browser that returns from a CRM. `door`: a CRM, for a linked user or for itself. `webhook`,
   * `schedule`: no user. `product`: donor-sync itself, or a version of it that did not record the actor.
   */
  kind: ActorKind;
  /** The name of the user or of the token, or null if there is none. */
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
