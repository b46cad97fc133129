/** Who asks for something, and by which way: what the audit keeps of each change. */
export interface Actor {
  /**
   * `command`: a user of the machine, on the command line. `token`, `session`: over HTTP, with an access
   * token or with a browser that signed in with one; `local`: the first visitor, before any token.
   * `consent`: a browser on its way back from a CRM. `webhook`, `schedule`: no person. `product`: the
   * product itself, or a version that does not know.
   */
  kind: ActorKind;
  /** The name of the user or of the token; null where there is none. */
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

/** What the product does by itself, such as a purge. */
export const PRODUCT: Actor = { kind: 'product', name: null, from: null };
