/**
 * JSON schemas of the parts of Kubernetes that `deploy/kubernetes.yaml` uses, strict: a field that
 * is not here is a mistake. The published schemas allow any.
 *
 * Source: the Kubernetes API reference, v1.32: core/v1, apps/v1, policy/v1.
 */

type Schema = Readonly<Record<string, unknown>>

const text: Schema = { type: 'string', minLength: 1 }
const flag: Schema = { type: 'boolean' }
const count: Schema = { type: 'integer', minimum: 0 }
const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 }
const portName: Schema = { type: 'string', pattern: '^[a-z]([a-z0-9-]{0,13}[a-z0-9])?$' }
const name: Schema = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$' }
const quantity: Schema = { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?(m|Ki|Mi|Gi|Ti)?$' }
const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } }
const quantities: Schema = { type: 'object', additionalProperties: quantity }

function list(items: Schema): Schema {
  return { type: 'array', minItems: 1, items }
}

function object(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false }
}

const metadata = object({ name, labels: texts, annotations: texts }, ['name'])
const selector = object({ matchLabels: texts }, ['matchLabels'])

const probe = object(
  {
    httpGet: object({ path: { type: 'string', pattern: '^/' }, port: portName }, ['path', 'port']),
    periodSeconds: count,
    timeoutSeconds: count,
    failureThreshold: count,
  },
  ['httpGet'],
)

const environmentValue: Schema = {
  oneOf: [
    object({ name: text, value: { type: 'string' } }, ['name', 'value']),
    object(
      {
        name: text,
        valueFrom: object({ secretKeyRef: object({ name, key: text }, ['name', 'key']) }, [
          'secretKeyRef',
        ]),
      },
      ['name', 'valueFrom'],
    ),
  ],
}

const container = object(
  {
    name,
    image: text,
    args: list(text),
    env: list(environmentValue),
    ports: list(object({ name: portName, containerPort: port }, ['name', 'containerPort'])),
    startupProbe: probe,
    livenessProbe: probe,
    readinessProbe: probe,
    lifecycle: object(
      { preStop: object({ sleep: object({ seconds: count }, ['seconds']) }, ['sleep']) },
      ['preStop'],
    ),
    resources: object({ requests: quantities, limits: quantities }, ['requests', 'limits']),
    securityContext: object(
      {
        allowPrivilegeEscalation: { const: false },
        readOnlyRootFilesystem: { const: true },
        capabilities: object({ drop: { const: ['ALL'] } }, ['drop']),
      },
      ['allowPrivilegeEscalation', 'readOnlyRootFilesystem', 'capabilities'],
    ),
    volumeMounts: list(
      object({ name, mountPath: { type: 'string', pattern: '^/' }, readOnly: flag }, [
        'name',
        'mountPath',
      ]),
    ),
  },
  ['name', 'image', 'livenessProbe', 'readinessProbe', 'resources', 'securityContext'],
)

const volume: Schema = {
  oneOf: [
    object({ name, configMap: object({ name }, ['name']) }, ['name', 'configMap']),
    object({ name, persistentVolumeClaim: object({ claimName: name }, ['claimName']) }, [
      'name',
      'persistentVolumeClaim',
    ]),
    object({ name, emptyDir: object({ sizeLimit: quantity }, []) }, ['name', 'emptyDir']),
  ],
}

const podTemplate = object(
  {
    metadata: object({ labels: texts, annotations: texts }, ['labels']),
    spec: object(
      {
        automountServiceAccountToken: { const: false },
        terminationGracePeriodSeconds: count,
        securityContext: object(
          {
            runAsNonRoot: { const: true },
            runAsUser: { type: 'integer', minimum: 1 },
            runAsGroup: { type: 'integer', minimum: 1 },
            fsGroup: { type: 'integer', minimum: 1 },
            seccompProfile: object({ type: { const: 'RuntimeDefault' } }, ['type']),
          },
          ['runAsNonRoot', 'runAsUser', 'seccompProfile'],
        ),
        containers: list(container),
        volumes: list(volume),
      },
      ['containers', 'securityContext'],
    ),
  },
  ['metadata', 'spec'],
)

function claimSpec(accessModes: readonly string[]): Schema {
  return object(
    {
      accessModes: list({ enum: accessModes }),
      resources: object({ requests: quantities }, ['requests']),
    },
    ['accessModes', 'resources'],
  )
}

const claim = object(
  {
    metadata: object({ name }, ['name']),
    spec: claimSpec(['ReadWriteOnce', 'ReadWriteOncePod']),
  },
  ['metadata', 'spec'],
)

const specs: Readonly<Record<string, Schema>> = {
  'apps/v1 StatefulSet': object(
    {
      serviceName: name,
      replicas: count,
      podManagementPolicy: { enum: ['OrderedReady', 'Parallel'] },
      selector,
      template: podTemplate,
      volumeClaimTemplates: list(claim),
    },
    ['serviceName', 'selector', 'template'],
  ),
  'apps/v1 Deployment': object(
    {
      replicas: count,
      strategy: object(
        { rollingUpdate: object({ maxUnavailable: count, maxSurge: count }, []) },
        [],
      ),
      selector,
      template: podTemplate,
    },
    ['selector', 'template'],
  ),
  'v1 Service': object(
    {
      clusterIP: { const: 'None' },
      selector: texts,
      ports: list(object({ name: portName, port, targetPort: portName }, ['port', 'targetPort'])),
    },
    ['selector', 'ports'],
  ),
  // Shared by pods of several machines.
  'v1 PersistentVolumeClaim': claimSpec(['ReadWriteMany']),
  'policy/v1 PodDisruptionBudget': object({ minAvailable: count, selector }, ['selector']),
  'networking.k8s.io/v1 NetworkPolicy': object(
    {
      podSelector: selector,
      policyTypes: list({ enum: ['Ingress', 'Egress'] }),
      ingress: list(
        object(
          {
            from: list(object({ namespaceSelector: selector }, ['namespaceSelector'])),
            ports: list(object({ protocol: { enum: ['TCP', 'UDP'] }, port }, ['port'])),
          },
          [],
        ),
      ),
    },
    ['podSelector'],
  ),
}

/** The schema of a document by its `apiVersion` and `kind`; `undefined` for kinds not used. */
export function kubernetesSchema(apiVersion: string, kind: string): Schema | undefined {
  const head = { apiVersion: { const: apiVersion }, kind: { const: kind }, metadata }
  if (`${apiVersion} ${kind}` === 'v1 ConfigMap')
    return object({ ...head, data: texts }, ['apiVersion', 'kind', 'metadata', 'data'])
  const spec = specs[`${apiVersion} ${kind}`]
  if (spec === undefined) return undefined
  return object({ ...head, spec }, ['apiVersion', 'kind', 'metadata', 'spec'])
}
