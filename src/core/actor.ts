/** The requester of an action, and the way of the request. The audit records it with each change. */
export interface Actor {
  /**
   * `command`: a user of the machine, on the command line. `token`, `session`: over HTTP, with an
   * access token or with a browser that signed in with one. `local`: the first visit, or whoever
   * is on the machine of the demo. `consent`: a browser on its way back from a CRM. `webhook`,
   * `schedule`: no user. `product`: donor-sync itself, or a version that does not know the actor.
   */
  kind: ActorKind;
  /** Name of the user or of the token; null if there is none. */
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
  'webhook',
  'schedule',
  'product',
] as const;

export type ActorKind = (typeof ACTOR_KINDS)[number];

/** The actor for what donor-sync does automatically, such as a purge. */
export const PRODUCT: Actor = { kind: 'product', name: null, from: null };
