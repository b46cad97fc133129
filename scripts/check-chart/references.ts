/**
 * Checks that the objects of a chart fit together. It compares names, ports and selectors, and checks the restrictions
 * of pods.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { KubernetesObject } from './chart.ts';

/** The maximum time in seconds from SIGTERM to the end of a process. */
const STOP_SECONDS = 10;

const labelsSchema = z.record(z.string(), z.string());
const selectorSchema = z.object({ matchLabels: labelsSchema.default({}) });
const namedSchema = z.object({ name: z.string() });

const probeSchema = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });

const containerSchema = z.object({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  securityContext: z.unknown(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  envFrom: z.array(z.object({ secretRef: namedSchema })).default([]),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })).default([]),
  startupProbe: probeSchema.optional(),
  livenessProbe: probeSchema.optional(),
  readinessProbe: probeSchema.optional(),
  lifecycle: z
    .object({
      preStop: z.object({
        exec: z.object({ command: z.tuple([z.literal('sleep'), z.coerce.number()]) }),
      }),
    })
    .optional(),
  resources: z.object({ requests: labelsSchema, limits: labelsSchema }),
});

const itemsSchema = z.array(z.object({ key: z.string(), path: z.string() })).optional();

const podSchema = z.object({
  metadata: z.object({ labels: labelsSchema }),
  spec: z.object({
    automountServiceAccountToken: z.literal(false),
    securityContext: z.object({ runAsNonRoot: z.boolean(), seccompProfile: z.unknown() }),
    imagePullSecrets: z.array(namedSchema).default([]),
    terminationGracePeriodSeconds: z.int().optional(),
    topologySpreadConstraints: z.array(z.object({ labelSelector: selectorSchema })).default([]),
    containers: z.tuple([containerSchema]),
    volumes: z.array(
      z.object({
        name: z.string(),
        configMap: z.object({ name: z.string(), items: itemsSchema }).optional(),
        secret: z.object({ secretName: z.string(), items: itemsSchema }).optional(),
      }),
    ),
  }),
});

const workloadSchema = z.object({
  spec: z.object({
    replicas: z.int().optional(),
    selector: selectorSchema.optional(),
    template: podSchema,
  }),
});

/** An object that runs pods. */
export interface Workload {
  object: KubernetesObject;
  replicas: number | undefined;
  selector: Record<string, string> | undefined;
  labels: Record<string, string>;
  pod: z.infer<typeof podSchema>['spec'];
  container: z.infer<typeof containerSchema>;
}

export function workloadsOf(objects: readonly KubernetesObject[]): Workload[] {
  return objects.flatMap((object) => {
    if (object.kind !== 'Deployment' && object.kind !== 'Job') return [];
    const { replicas, selector, template } = workloadSchema.parse(object).spec;
    const { metadata, spec: pod } = template;
    const [container] = pod.containers;
    const { labels } = metadata;
    return [{ object, replicas, selector: selector?.matchLabels, labels, pod, container }];
  });
}

/** Returns all problems. `outside` contains the names of ConfigMaps and Secrets that the values mention. */
export function findMisfits(
  objects: readonly KubernetesObject[],
  outside: ReadonlySet<string>,
): string[] {
  const workloads = workloadsOf(objects);
  const deployments = workloads.filter(({ object }) => object.kind === 'Deployment');
  const problems: string[] = [];
  const want = (isSo: boolean, what: string) => {
    if (!isSo) problems.push(what);
  };
  const names = objects.map(nameOf);
  want(new Set(names).size === names.length, `two objects have the same name: ${names.join(', ')}`);
  want(
    objects.every(({ kind }) => kind !== 'Secret'),
    'the chart creates a Secret, so the values would contain it',
  );
  for (const workload of workloads) {
    for (const problem of [
      ...findOpenDoors(workload),
      ...findMissing(workload, objects, outside),
      ...findHaste(workload),
    ]) {
      problems.push(`${nameOf(workload.object)}: ${problem}`);
    }
    const { selector = {}, labels, pod, object } = workload;
    want(matches(selector, labels), `${nameOf(object)}: does not select its own pods`);
    for (const { labelSelector } of pod.topologySpreadConstraints) {
      const isOwn = isDeepStrictEqual(labelSelector.matchLabels, selector);
      want(isOwn, `${nameOf(object)}: is spread among other pods`);
    }
  }
  for (const object of objects) {
    for (const problem of findAstray(object, objects, deployments)) {
      problems.push(`${nameOf(object)}: ${problem}`);
    }
  }
  return problems;
}

const CONTAINER_LOCKS = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

function findOpenDoors({ pod, container }: Workload): string[] {
  const problems: string[] = [];
  const { runAsNonRoot, seccompProfile } = pod.securityContext;
  if (!runAsNonRoot || !isDeepStrictEqual(seccompProfile, { type: 'RuntimeDefault' })) {
    problems.push('may run as root, or without a seccomp profile');
  }
  if (!isDeepStrictEqual(container.securityContext, CONTAINER_LOCKS)) {
    problems.push('its container has more permissions than it needs');
  }
  if (!/@sha256:[0-9a-f]{64}$/.test(container.image)) problems.push('its image is not a digest');
  const { requests, limits } = container.resources;
  if (!(requests['cpu'] && requests['memory'] && limits['memory'])) {
    problems.push('does not state its resource needs');
  }
  return problems;
}

/** Returns the ConfigMaps, Secrets and volumes that an object uses but that do not exist. */
function findMissing(
  { pod, container, object }: Workload,
  objects: readonly KubernetesObject[],
  outside: ReadonlySet<string>,
): string[] {
  const problems: string[] = [];
  const volumes = new Set(pod.volumes.map(({ name }) => name));
  const mounts = new Set(container.volumeMounts.map(({ name }) => name));
  if (!isDeepStrictEqual(volumes, mounts)) problems.push('mounts volumes that it does not have');
  const isHook = 'helm.sh/hook' in object.metadata.annotations;
  for (const { name, configMap, secret } of pod.volumes) {
    const own = objects.find(
      (one) => one.kind === 'ConfigMap' && one.metadata.name === configMap?.name,
    );
    const isEarly = own === undefined || 'helm.sh/hook' in own.metadata.annotations === isHook;
    const reference = configMap?.name ?? secret?.secretName;
    if (reference === undefined) continue;
    if (own === undefined && !outside.has(reference)) problems.push(`${reference} is not there`);
    if (!isEarly) problems.push(`${reference} is not there when it starts`);
    if (name !== 'settings') continue;
    const data = z.object({ data: labelsSchema }).safeParse(own).data?.data;
    const items = configMap?.items ?? secret?.items ?? [];
    const files = own ? Object.keys(data ?? {}) : items.map(({ path }) => path);
    const [folder] = container.volumeMounts.filter((mount) => mount.name === name);
    const config = container.env.find((one) => one.name === 'DONOR_SYNC_CONFIG')?.value;
    if (!files.some((file) => `${folder?.mountPath}/${file}` === config)) {
      problems.push(`its settings are not at ${config}`);
    }
  }
  const secrets = [
    ...container.envFrom.map(({ secretRef }) => secretRef.name),
    ...pod.imagePullSecrets.map(({ name }) => name),
  ];
  for (const secret of secrets.filter((one) => !outside.has(one))) {
    problems.push(`the Secret ${secret} is not there`);
  }
  return problems;
}

/** Returns a problem if Kubernetes would kill the pod before donor-sync has stopped. */
function findHaste({ pod, container }: Workload): string[] {
  const { terminationGracePeriodSeconds: grace = 30 } = pod;
  const [, before = 0] = container.lifecycle?.preStop.exec.command ?? [];
  return grace > before + STOP_SECONDS ? [] : [`is killed after ${grace} s, and needs more`];
}

const serviceSchema = z.object({
  spec: z.object({
    selector: labelsSchema,
    ports: z.array(z.object({ name: z.string(), targetPort: z.string() })),
  }),
});

const ingressSchema = z.object({
  spec: z.object({
    rules: z.array(
      z.object({
        http: z.object({
          paths: z.array(
            z.object({
              backend: z.object({
                service: z.object({ name: z.string(), port: namedSchema }),
              }),
            }),
          ),
        }),
      }),
    ),
  }),
});

/** Returns references to pods, services or deployments that do not exist. */
function findAstray(
  object: KubernetesObject,
  objects: readonly KubernetesObject[],
  deployments: readonly Workload[],
): string[] {
  const services = objects.filter(({ kind }) => kind === 'Service');
  const selected = (labels: Record<string, string>) =>
    deployments.filter((one) => matches(labels, one.labels));
  switch (object.kind) {
    case 'Service': {
      const { selector, ports } = serviceSchema.parse(object).spec;
      const [pods, ...others] = selected(selector);
      const known = pods?.container.ports.map(({ name }) => name) ?? [];
      const isFit = others.length === 0 && ports.every((port) => known.includes(port.targetPort));
      return isFit ? [] : ['does not lead to a port of exactly one Deployment'];
    }
    case 'Ingress': {
      const { rules } = ingressSchema.parse(object).spec;
      const backends = rules.flatMap(({ http }) =>
        http.paths.map(({ backend }) => backend.service),
      );
      return backends.flatMap(({ name, port }) => {
        const service = services.find(({ metadata }) => metadata.name === name);
        return hasPort(service, port.name) ? [] : [`there is no port ${port.name} of ${name}`];
      });
    }
    case 'ServiceMonitor': {
      const spec = z
        .object({ selector: selectorSchema, endpoints: z.array(z.object({ port: z.string() })) })
        .parse(object['spec']);
      const met = services.filter((one) => matches(spec.selector.matchLabels, one.metadata.labels));
      const isFit = met.length === 1 && spec.endpoints.every(({ port }) => hasPort(met[0], port));
      return isFit ? [] : ['does not watch a port of exactly one Service'];
    }
    case 'PodDisruptionBudget': {
      const { selector } = z.object({ selector: selectorSchema }).parse(object['spec']);
      return selected(selector.matchLabels).length === 1
        ? []
        : ['does not apply to exactly one Deployment'];
    }
    case 'NetworkPolicy': {
      const { podSelector } = z.object({ podSelector: selectorSchema }).parse(object['spec']);
      return selected(podSelector.matchLabels).length > 0 ? [] : ['does not apply to any pod'];
    }
    case 'HorizontalPodAutoscaler':
    case 'ScaledObject': {
      const { scaleTargetRef } = z.object({ scaleTargetRef: namedSchema }).parse(object['spec']);
      const target = deployments.find((one) => one.object.metadata.name === scaleTargetRef.name);
      if (target === undefined) return [`there is no Deployment ${scaleTargetRef.name}`];
      // With a fixed number of pods in the Deployment, each update would reset the number that the autoscaler has
      // chosen.
      return target.replicas === undefined ? [] : ['its Deployment also sets the number of pods'];
    }
    default:
      return [];
  }
}

function hasPort(service: KubernetesObject | undefined, name: string): boolean {
  if (service === undefined) return false;
  return serviceSchema.parse(service).spec.ports.some((port) => port.name === name);
}

function matches(wanted: Record<string, string>, labels: Record<string, string>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.name}`;
}

const outsideSchema = z.object({
  image: z.object({ pullSecrets: z.array(z.string()).default([]) }),
  settings: z.object({
    existingConfigMap: z.string().default(''),
    existingSecret: z.string().default(''),
  }),
  secrets: z
    .object({ existingSecret: z.string(), more: z.array(z.string()).default([]) })
    .default({ existingSecret: 'donor-sync', more: [] }),
  files: z.object({ existingSecret: z.string() }).default({ existingSecret: '' }),
});

/** Returns the ConfigMaps and Secrets that the values name. They must already exist. */
export function namedOutside(values: unknown): Set<string> {
  const { image, settings, secrets, files } = outsideSchema.parse(values);
  return new Set([
    ...image.pullSecrets,
    settings.existingConfigMap,
    settings.existingSecret,
    secrets.existingSecret,
    ...secrets.more,
    files.existingSecret,
  ]);
}
