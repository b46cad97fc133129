/** Starts a stand-in for a test and sends requests to the stand-in. */
import { onTestFinished } from 'vitest';
import {
  type BloomerangSandbox,
  type BloomerangSandboxOptions,
  startBloomerangSandbox,
} from '../../../sandbox/bloomerang/index.ts';
import { type Answer, type Message, send } from '../../testbed/asking.ts';

/** Starts a small account and closes it after the test. */
export async function startAccount(
  options: BloomerangSandboxOptions = {},
): Promise<BloomerangSandbox> {
  const account = await startBloomerangSandbox({ contacts: 20, donors: 50, ...options });
  onTestFinished(() => account.close());
  return account;
}

/** Sends a request to the API with the account's key. If the key is empty, the request contains no key. */
export function ask(
  account: BloomerangSandbox,
  method: string,
  path: string,
  { body, headers = {}, key = account.token }: Message & { key?: string } = {},
): Promise<Answer> {
  const signed = key === '' ? {} : { 'x-api-key': key };
  return send(account.baseUrl + path, method, { body, headers: { ...signed, ...headers } });
}
