/** The router that every area of the service is made of. */

import { OpenAPIHono } from '@hono/zod-openapi';
import type { PartnerEnv } from './context.ts';
import { answerValidationErrors } from './validation.ts';

/** A router whose requests are validated in the manner of section 2.8 of the service document. */
export function createRouter(): OpenAPIHono<PartnerEnv> {
  return new OpenAPIHono<PartnerEnv>({ strict: false, defaultHook: answerValidationErrors });
}
