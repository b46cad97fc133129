{{- define "donor-sync.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "donor-sync.selector" -}}
app.kubernetes.io/name: donor-sync
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "donor-sync.labels" -}}
{{ include "donor-sync.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "donor-sync.podMetadata" -}}
{{- if .Values.settings.text }}
checksum/settings: {{ .Values.settings.text | sha256sum }}
{{- end }}
{{- with .Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What all pods have in common: nothing runs as root, no account of the cluster, nothing to write to but /data and /tmp. */}}
{{- define "donor-sync.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "donor-sync.container" -}}
image: {{ printf "%s@%s" .Values.image.repository .Values.image.digest | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
env:
  - name: DONOR_SYNC_CONFIG
    value: /etc/donor-sync/settings/donor-sync.yaml
  {{- range $name, $value := .Values.env }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
envFrom:
  - secretRef:
      name: {{ .Values.secrets.existingSecret | quote }}
  {{- range .Values.secrets.more }}
  - secretRef:
      name: {{ . | quote }}
  {{- end }}
volumeMounts:
  - name: settings
    mountPath: /etc/donor-sync/settings
    readOnly: true
  {{- if .Values.files.existingSecret }}
  - name: files
    mountPath: /etc/donor-sync/files
    readOnly: true
  {{- end }}
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
{{- end -}}

{{/* All volumes but the settings. */}}
{{- define "donor-sync.volumes" -}}
{{- if .Values.files.existingSecret }}
- name: files
  secret:
    secretName: {{ .Values.files.existingSecret | quote }}
    defaultMode: 288
{{- end }}
- name: data
  {{- if .Values.data.existingClaim }}
  persistentVolumeClaim:
    claimName: {{ .Values.data.existingClaim | quote }}
  {{- else }}
  emptyDir: {}
  {{- end }}
- name: tmp
  emptyDir: {}
{{- end -}}

{{/* Where settings are that do not stand in the values. */}}
{{- define "donor-sync.existingSettings" -}}
{{- if .Values.settings.existingSecret }}
secret:
  secretName: {{ .Values.settings.existingSecret | quote }}
  defaultMode: 288
{{- else }}
configMap:
  name: {{ .Values.settings.existingConfigMap | quote }}
{{- end }}
  items:
    - key: {{ .Values.settings.key | quote }}
      path: donor-sync.yaml
{{- end -}}
