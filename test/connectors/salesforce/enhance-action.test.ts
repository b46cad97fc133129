/**
 * Tests the parts of "Enhance now" that otherwise only Salesforce can run. The parts are the OpenAPI document for
 * External Services, and the flows with their references. The checks follow the rules in Salesforce's documentation.
 */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  enhanceAction,
  personAccountAction,
} from '../../../connectors/salesforce/project/enhance-action.ts';
import { doorDocument } from '../../../src/core/token-door.ts';
import { type Element, parseMetadata, textsOf } from './metadata-xml.ts';

const URL = 'https://donors.example.org/doors/token/riverside';
const VERSION = '67.0';
const FILES = new Map([...enhanceAction(VERSION, URL), ...personAccountAction(VERSION)]);

/** A valid Apex identifier: letters, digits and single underscores, starting with a letter. */
const APEX_NAME = /^[A-Za-z](?:_?[A-Za-z0-9])*$/;

const propertySchema = z.object({ type: z.enum(['string', 'boolean', 'integer']) });

const documentSchema = z.object({
  openapi: z.string(),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        parameters: z.array(z.object({ name: z.string(), schema: propertySchema })),
        responses: z.record(z.string(), z.object({ content: z.object({}).loose() })),
      }),
    ),
  ),
  components: z.object({
    schemas: z.record(z.string(), z.object({ properties: z.record(z.string(), propertySchema) })),
  }),
});

const DOCUMENT = documentSchema.parse(doorDocument());

function read(path: string): Element {
  const text = FILES.get(path);
  if (text === undefined) throw new Error(`no file ${path}`);
  return parseMetadata(text);
}

function descendants(element: Element): Element[] {
  return [element, ...element.children.flatMap(descendants)];
}

describe('the OpenAPI document for External Services', () => {
  it('passes the rules of its own format', async () => {
    const config = await createConfig({
      rules: {
        struct: 'error',
        'no-unresolved-refs': 'error',
        'operation-operationId': 'error',
        'operation-operationId-unique': 'error',
      },
    });
    const found = await lintFromString({
      source: JSON.stringify(doorDocument()),
      absoluteRef: 'door.json',
      config,
    });
    expect(found.map(({ message }) => message)).toEqual([]);
  });

  it('is of version 3.0, because External Services do not read 3.1', () => {
    expect(DOCUMENT.openapi).toMatch(/^3\.0\./);
  });

  it('has only names that are Apex identifiers, and objects without nesting', () => {
    const operations = Object.values(DOCUMENT.paths).flatMap((path) => Object.values(path));
    const names = [
      ...operations.flatMap(({ operationId, parameters }) => [
        operationId,
        ...parameters.map(({ name }) => name),
      ]),
      ...Object.entries(DOCUMENT.components.schemas).flatMap(([name, { properties }]) => [
        name,
        ...Object.keys(properties),
      ]),
    ];
    expect(names.filter((name) => !APEX_NAME.test(name))).toEqual([]);
    // Salesforce encodes capital letters in the names of operations.
    expect(operations.filter(({ operationId }) => /[^a-z]/.test(operationId))).toEqual([]);
  });

  it('answers each request with a body, and describes nothing at length', () => {
    const text = JSON.stringify(doorDocument());
    for (const [, description = ''] of text.matchAll(/"description":"([^"]*)"/g)) {
      expect(description.length).toBeLessThan(1_333);
    }
    expect(text).not.toMatch(/"security"|"headers"|"enum"/);
  });
});

describe('the flow behind "Enhance now"', () => {
  const flow = read('flows/donor_sync_enhance.flow-meta.xml');
  const personFlow = read('flows/donor_sync_enhance_person_account.flow-meta.xml');

  it.each([
    ['contacts', flow],
    ['person accounts', personFlow],
  ])('leads each connector to an element that exists, for %s', (_who, read) => {
    const names = new Set(read.children.flatMap((element) => textsOf(element, 'name')));
    const targets = descendants(read).flatMap((element) => textsOf(element, 'targetReference'));
    expect(targets.length).toBeGreaterThan(2);
    expect(targets.filter((target) => !names.has(target))).toEqual([]);
  });

  it('calls operations of the document with parameters that they have', () => {
    const operations = Object.values(DOCUMENT.paths).flatMap((path) => Object.values(path));
    const calls = flow.children.filter(({ name }) => name === 'actionCalls');
    expect(calls).toHaveLength(operations.length);
    for (const call of calls) {
      const [action = ''] = textsOf(call, 'actionName');
      const operation = operations.find(({ operationId }) => `donorSync.${operationId}` === action);
      const given = call.children
        .filter(({ name }) => name === 'inputParameters')
        .flatMap((input) => textsOf(input, 'name'));
      expect(given).toEqual(operation?.parameters.map(({ name }) => name));
    }
  });

  it('shows only values that the responses have', () => {
    const texts = descendants(flow).flatMap((element) => [
      ...textsOf(element, 'fieldText'),
      ...textsOf(element, 'leftValueReference').map((reference) => `{!${reference}}`),
    ]);
    const shown = texts.flatMap((text) => [...text.matchAll(/\{!(\w+)\.(\d+)\.(\w+)\}/g)]);
    const SCHEMAS: Readonly<Record<string, string>> = {
      'Read_status.200': 'DoorStatus',
      'Enhance.202': 'DoorReceipt',
    };
    expect(shown.length).toBeGreaterThan(4);
    for (const [text, action, status, property = ''] of shown) {
      const schema = SCHEMAS[`${action}.${status}`] ?? '';
      expect(Object.keys(DOCUMENT.components.schemas[schema]?.properties ?? {}), text).toContain(
        property,
      );
    }
  });

  it('ends every failed call on a screen with the message', () => {
    const faults = flow.children
      .flatMap(({ children }) => children)
      .filter(({ name }) => name === 'faultConnector')
      .flatMap((fault) => textsOf(fault, 'targetReference'));
    expect(faults).toEqual(['Failed', 'Failed']);
    const failed = flow.children.find((element) => textsOf(element, 'name')[0] === 'Failed');
    expect(
      failed &&
        descendants(failed)
          .flatMap((one) => textsOf(one, 'fieldText'))
          .join(),
    ).toContain('{!$Flow.FaultMessage}');
  });
});

describe('the permission sets of "Enhance now"', () => {
  it.each([
    ['donor_sync_enhancers', 'donor_sync_enhance'],
    ['donor_sync_enhancers_person_accounts', 'donor_sync_enhance_person_account'],
  ])('%s gives access to the flow %s', (name, flow) => {
    const set = read(`permissionsets/${name}.permissionset-meta.xml`);
    const accesses = set.children.filter((child) => child.name === 'flowAccesses');
    expect(accesses.map((access) => [textsOf(access, 'flow'), textsOf(access, 'enabled')])).toEqual(
      [[[flow], ['true']]],
    );
    expect(FILES.has(`flows/${flow}.flow-meta.xml`)).toBe(true);
  });
});

describe('the credential of "Enhance now"', () => {
  it('has the address over https, and no token in any file', () => {
    const named = read('namedCredentials/donor_sync.namedCredential-meta.xml');
    const values = descendants(named).flatMap((one) => textsOf(one, 'parameterValue'));
    expect(values).toEqual([URL]);
    const external = read('externalCredentials/donor_sync.externalCredential-meta.xml');
    const headers = descendants(external).flatMap((one) => textsOf(one, 'parameterValue'));
    expect(headers).toEqual(["{!'Bearer ' & $Credential.donor_sync.token}"]);
    expect([...FILES.values()].join()).not.toMatch(/dst_|Bearer [A-Za-z0-9]/);
  });

  it('belongs to the principal that the permission set opens', () => {
    const external = read('externalCredentials/donor_sync.externalCredential-meta.xml');
    const [principal] = external.children
      .filter((child) => textsOf(child, 'parameterType')[0] === 'NamedPrincipal')
      .flatMap((child) => textsOf(child, 'parameterName'));
    const set = read('permissionsets/donor_sync_enhancers.permissionset-meta.xml');
    expect(descendants(set).flatMap((one) => textsOf(one, 'externalCredentialPrincipal'))).toEqual([
      `donor_sync-${principal}`,
    ]);
  });
});
