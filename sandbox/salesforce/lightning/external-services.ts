/** Simulates External Services, which call the operations of an OpenAPI document through a named credential. */

import { z } from 'zod';
import { childrenOf, type Element, type Project, readComponents, textOf } from './metadata.ts';

const parameterSchema = z.object({
  name: z.string(),
  in: z.enum(['path', 'query']),
  required: z.boolean(),
});

const documentSchema = z.object({
  openapi: z.string().regex(/^3\.0\./, 'External Services read OpenAPI 3.0'),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        parameters: z.array(parameterSchema),
        responses: z.record(z.string(), z.unknown()),
      }),
    ),
  ),
});

/** The values that an administrator enters in Setup, and the permissions of the user. */
export interface Credentials {
  /**
   * The authentication parameters of each principal. The map's key is the principal's name. The authentication
   * parameters are not in the project's files.
   */
  parameters: Readonly<Record<string, string>>;
  permissionSets: readonly string[];
  /**
   * True if the user's profile has the permission "Run Flows". The default is false, as in a profile with minimum
   * access.
   */
  runsFlows?: boolean;
}

/**
 * Returns true if the user can run the flow. The user needs "Run Flows", or a permission set with access to the flow.
 * If a user cannot run a flow, Salesforce does not show its quick actions.
 */
export function mayRunFlow(project: Project, user: Credentials, flow: string): boolean {
  if (user.runsFlows === true) return true;
  const sets = readComponents(project, 'permissionset');
  return user.permissionSets
    .flatMap((name) => sets.get(name) ?? [])
    .flatMap((set) => childrenOf(set, 'flowAccesses'))
    .some((access) => textOf(access, 'enabled') === 'true' && textOf(access, 'flow') === flow);
}

/** The error that makes a flow continue on its fault path. The message is in `$Flow.FaultMessage`. */
export class CalloutFault extends Error {}

/**
 * Calls an action such as `donorSync.status`. Returns the action's outputs. The map's key is the output's name, such as
 * `200`.
 */
export type CallAction = (
  action: string,
  inputs: Readonly<Record<string, string>>,
) => Promise<Record<string, unknown>>;

export function createExternalServices(project: Project, credentials: Credentials): CallAction {
  const services = readComponents(project, 'externalServiceRegistration');
  const named = readComponents(project, 'namedCredential');
  const external = readComponents(project, 'externalCredential');
  const sets = readComponents(project, 'permissionset');

  /**
   * Throws if the user has no access to the principal, because Salesforce then sends no request to the service. The
   * function throws even if the user can run the flow.
   */
  function requirePrincipal(name: string): void {
    const isOpen = credentials.permissionSets.some((set) => {
      const found = sets.get(set);
      if (found === undefined) return false;
      return childrenOf(found, 'externalCredentialPrincipalAccesses').some(
        (access) =>
          textOf(access, 'enabled') === 'true' &&
          textOf(access, 'externalCredentialPrincipal')?.split('-')[0] === name,
      );
    });
    if (isOpen) return;
    throw new CalloutFault(
      "We couldn't access the credential(s). You might not have the required permissions, or the external credential might not exist.",
    );
  }

  function headersOf(name: string): Record<string, string> {
    requirePrincipal(name);
    const credential = required(external.get(name), `external credential ${name}`);
    const headers = childrenOf(credential, 'externalCredentialParameters').filter(
      (one) => textOf(one, 'parameterType') === 'AuthHeader',
    );
    return Object.fromEntries(
      headers.map((one) => [
        textOf(one, 'parameterName') ?? '',
        evaluate(textOf(one, 'parameterValue') ?? '', name, credentials.parameters),
      ]),
    );
  }

  return async (action, inputs) => {
    const [service = '', operationId] = action.split('.');
    const registration = required(services.get(service), `service ${service}`);
    const document = documentSchema.parse(JSON.parse(textOf(registration, 'schema') ?? ''));
    const credentialName = textOf(registration, 'namedCredentialReference') ?? '';
    const credential = required(named.get(credentialName), `named credential ${credentialName}`);
    const { url, principal } = readNamedCredential(credential);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.operationId !== operationId) continue;
        const missing = operation.parameters.find(({ name }) => inputs[name] === undefined);
        if (missing !== undefined) throw new CalloutFault(`${missing.name} is required.`);
        const target = new URL(url + fill(path, inputs));
        for (const { name, in: place } of operation.parameters) {
          if (place === 'query') target.searchParams.set(name, inputs[name] ?? '');
        }
        return send(method, target, headersOf(principal), Object.keys(operation.responses));
      }
    }
    throw new Error(`${service} has no operation ${operationId}.`);
  };
}

function readNamedCredential(credential: Element): { url: string; principal: string } {
  const parameters = childrenOf(credential, 'namedCredentialParameters');
  const find = (type: string) =>
    parameters.find((parameter) => textOf(parameter, 'parameterType') === type);
  const [url, authentication] = [find('Url'), find('Authentication')];
  return {
    url: (url && textOf(url, 'parameterValue')) ?? '',
    principal: (authentication && textOf(authentication, 'externalCredential')) ?? '',
  };
}

/**
 * Evaluates an expression such as `{!'text' & $Credential.NAME.PARAMETER}`. A parameter that the administrator has not
 * entered is empty.
 */
function evaluate(
  formula: string,
  credential: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const inner = /^\{!(.*)\}$/.exec(formula)?.[1];
  if (inner === undefined) return formula;
  return inner
    .split('&')
    .map((part) => part.trim())
    .map((part) => {
      const text = /^'(.*)'$/.exec(part)?.[1];
      if (text !== undefined) return text;
      const [, name, parameter = ''] = /^\$Credential\.(\w+)\.(\w+)$/.exec(part) ?? [];
      if (name !== credential) throw new Error(`${part} cannot be read here.`);
      return parameters[parameter] ?? '';
    })
    .join('');
}

function fill(path: string, inputs: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(inputs[name] ?? ''));
}

/**
 * Sends the request. Every response without a 2xx status is a fault. If the document does not describe a response, the
 * response has no output.
 */
async function send(
  method: string,
  url: URL,
  headers: Record<string, string>,
  described: readonly string[],
): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: method.toUpperCase(), headers }).catch(
    (error: unknown) => {
      throw new CalloutFault(`The callout failed: ${String(error)}`);
    },
  );
  const text = await response.text();
  if (!response.ok) throw new CalloutFault(`${response.status} ${text}`);
  const status = String(response.status);
  if (!described.includes(status)) return { responseCode: response.status };
  return { responseCode: response.status, [status]: JSON.parse(text) };
}

function required<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`The org has no ${name}.`);
  return value;
}
