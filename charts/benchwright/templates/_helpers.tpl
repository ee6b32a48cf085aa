{{- define "benchwright.labels" -}}
app.kubernetes.io/part-of: benchwright
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "benchwright.selector" -}}
app.kubernetes.io/part-of: benchwright
app.kubernetes.io/component: {{ . }}
{{- end }}

{{- define "benchwright.image" -}}
{{- $image := index .root.Values.images .name -}}
{{ $image.repository }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "benchwright.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "benchwright.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "benchwright.pullSecrets" -}}
{{- with .Values.images.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}
