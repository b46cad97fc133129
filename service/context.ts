/** What a request carries on its way through the service. */

import type { HttpBindings } from '@hono/node-server';
import type { PartnerFault } from './faults.ts';
import type { ApiKey } from './keys.ts';

/** The Hono environment of the service. */
export interface PartnerEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    fault: PartnerFault | undefined;
    /** Whose request it is; set by authentication. */
    key: ApiKey;
    /** The parsed body; undefined where there is none. */
    body: unknown;
    /** Credits taken for this request: as many items are paid for. */
    charged: number;
    /** Set by a handler that did less than was paid for; the difference is refunded. */
    processed: number | undefined;
  };
}

/** What the log keeps of a request besides. */
export interface RequestDetails {
  requestId: string;
  apiKey: string | null;
}
