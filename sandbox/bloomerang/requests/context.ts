/** The values that middleware adds to a request. */
import type { HttpBindings } from '@hono/node-server';
import type { BloomerangFault } from './faults.ts';

export interface BloomerangEnv {
  Bindings: HttpBindings;
  Variables: {
    fault: BloomerangFault | undefined;
    /** The name of the user whose key or token signed the request. */
    user: string;
  };
}
