import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Request } from '@hubspot/api-client/lib/src/services/http/Request.js';
import { readBoundedText } from '../bounded-body.ts';

/** One request as HubSpot gets it. */
export interface WireRequest {
  method: 'GET' | 'POST';
  /** Below the API's address. */
  path: string;
  /** Sent as JSON. */
  body?: object;
  /** Sent as a form, instead of a body. */
  form?: Readonly<Record<string, string>>;
  /** Left out only while signing in. */
  accessToken?: string;
}

/** An answer whose body is at hand. */
export interface TextReply {
  status: number;
  /** By names in small letters. */
  headers: Readonly<Record<string, string>>;
  text: string;
}

/**
 * Sends a request once, as HubSpot's client library builds it. The library's own sending would
 * gather any body whole, however large it is, and could not be ended on its way.
 */
export async function transmit(
  url: string,
  agent: HttpAgent | HttpsAgent,
  request: WireRequest,
  signal: AbortSignal,
): Promise<TextReply> {
  const built = build(url, request);
  const { body, ...parts }: SendData = built.getSendData();
  const response = await send(built.getUrl(), { ...parts, agent, signal }, body);
  return {
    status: response.statusCode ?? 0,
    headers: headersOf(response),
    text: await readBoundedText('HubSpot', response),
  };
}

interface SendData {
  method: string;
  headers: Record<string, string>;
  body?: string;
}

function build(url: string, { method, path, body, form, accessToken }: WireRequest): Request {
  const config = { basePath: url, ...(accessToken === undefined ? {} : { accessToken }) };
  return new Request(config, {
    method,
    path,
    ...(form === undefined
      ? { body }
      : { body: new URLSearchParams(form).toString(), defaultJson: false, headers: FORM }),
  });
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

function send(
  url: URL,
  options: Omit<SendData, 'body'> & { agent: HttpAgent | HttpsAgent; signal: AbortSignal },
  body: string | undefined,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body);
  });
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}
