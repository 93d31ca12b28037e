{{- define "rolecall.selector" -}}
app.kubernetes.io/name: rolecall
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "rolecall.labels" -}}
{{ include "rolecall.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
