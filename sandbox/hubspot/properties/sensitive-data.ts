import { scopeError } from '../core/errors.ts';
import type { ObjectType } from '../core/object-type.ts';
import type { Properties } from './properties.ts';

type Right = 'read' | 'write';

/** Throws a 403 if the token is not allowed to write one of these properties or its definition. */
export function checkSensitiveWrite(
  properties: Pick<Properties, 'find'>,
  type: ObjectType,
  names: readonly string[],
  granted: readonly string[],
): void {
  const isAnySensitive = names.some((name) => isSensitive(properties, type, name));
  const scopes = scopesFor(type, 'write');
  if (isAnySensitive && !scopes.some((scope) => granted.includes(scope))) throw scopeError(scopes);
}

/** Returns true if a token is allowed to read the values of a property. */
export function mayRead(
  properties: Pick<Properties, 'find' | 'isHidden'>,
  type: ObjectType,
  name: string,
  granted: readonly string[],
): boolean {
  if (properties.isHidden(type, name)) return false;
  if (!isSensitive(properties, type, name)) return true;
  return scopesFor(type, 'read').some((scope) => granted.includes(scope));
}

/**
 * Returns the scopes for sensitive data, which HubSpot's documentation names without `.v2`, and HubSpot's API
 * specification with `.v2`.
 */
export function scopesFor({ name }: ObjectType, right: Right): string[] {
  const scope = `crm.objects.${name}.sensitive.${right}`;
  return [`${scope}.v2`, scope];
}

function isSensitive(
  properties: Pick<Properties, 'find'>,
  type: ObjectType,
  name: string,
): boolean {
  return properties.find(type, name)?.dataSensitivity === 'sensitive';
}
