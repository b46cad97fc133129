/** The caller of an operation, and the caller's permissions. */
import type { Actor } from '../../core/actor.ts';
import type { Role } from '../../core/role.ts';
import type { Account } from '../../core/second-person.ts';

export interface Caller {
  /**
   * The kind of caller. `machine`: a user of the machine, in the terminal, who needs no role. `person`: a signed-in
   * user, or the first visitor before any user exists. `token`: an access token, or a browser session that signed in
   * with one.
   */
  kind: 'machine' | 'person' | 'token';
  /** The caller's role, or null in the terminal. */
  role: Role | null;
  /** The IDs of the clients that the caller may access, or null for all clients. */
  clients: ReadonlySet<string> | null;
  /** Identifies the caller if a second user is required. Null for a caller without an account. */
  account: Account | null;
  actor: Actor;
  /**
   * True if the user signed in or proved their identity in the last ten minutes, or uses the server's own machine.
   * Defaults to false.
   */
  isProven?: boolean;
  /** The fingerprint of the user's browser. Omitted for programs. */
  browser?: string;
}
