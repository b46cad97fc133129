/** The caller of an operation, and the caller's permissions. */
import type { Actor } from '../../core/actor.ts';
import type { Role } from '../../core/role.ts';
import type { Account } from '../../core/second-person.ts';

export interface Caller {
  /**
   * `machine`: a user of the machine, in the terminal, who needs no role. `person`: a signed-in user, or the first
   * visitor before any user exists. `token`: an access token, including the token of a browser session that signed in
   * with one.
   */
  kind: 'machine' | 'person' | 'token';
  /** Null in the terminal. */
  role: Role | null;
  /** The IDs of the clients that the caller has access to, or null for all. */
  clients: ReadonlySet<string> | null;
  /** Identifies the caller if a second user is required, or null for a caller without an account. */
  account: Account | null;
  actor: Actor;
  /**
   * True if the user signed in or proved their identity within the last ten minutes, or asks from the server's own
   * machine. False if left out.
   */
  isProven?: boolean;
  /** The fingerprint of the user's browser; left out for programs. */
  browser?: string;
}
